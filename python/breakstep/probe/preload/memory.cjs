// What the main thread shares with the reporter: one block of doubles, written by the first and
// read by the second. A reader may see one value newer than its neighbour; each is right by itself.
// NaN stands for "not known".
'use strict';

const BEAT_EVERY_MS = 20;
// A beat that is late by less may be a thread that had to wait for a core.
const BLOCKED_MS = 50;

const FIELD = Object.freeze({
  beatMs: 0, // when the event loop last kept its beat, on the clock of nowMs
  beats: 1, // how many delays were written
  loopMs: 2, // when activeMs was read
  activeMs: 3, // time the loop was not waiting for events, since it began
  gcMs: 4, // time in garbage collection, since the start
  heapBytes: 5,
  inFlight: 6, // requests begun and not ended
});
const FIELDS = 8;

// The last beats' delays, as (when, how late) in ms; 256 beats are five seconds.
const DELAYS = { at: FIELDS, slots: 256, width: 2 };
// The longest collection in each tenth of a second, as (number of that tenth, ms).
const PAUSES = { at: DELAYS.at + DELAYS.slots * DELAYS.width, slots: 16, width: 2 };
// As (index of its kind in KINDS, size, busy, waiting).
const POOLS = { at: PAUSES.at + PAUSES.slots * PAUSES.width, slots: 8, width: 4 };
const LENGTH = POOLS.at + POOLS.slots * POOLS.width;

const PAUSE_SPAN_MS = 100;
const KINDS = Object.freeze(['pg', 'mysql2', 'undici']);

function view(buffer) {
  return new Float64Array(buffer);
}

function allocate() {
  return view(new SharedArrayBuffer(LENGTH * Float64Array.BYTES_PER_ELEMENT)).fill(NaN);
}

// The same clock in every thread, unlike performance.now().
function nowMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

function slot(ring, index) {
  return ring.at + (index % ring.slots) * ring.width;
}

module.exports = {
  BEAT_EVERY_MS, BLOCKED_MS, DELAYS, FIELD, KINDS, PAUSES, PAUSE_SPAN_MS, POOLS, allocate, nowMs, slot, view,
};
