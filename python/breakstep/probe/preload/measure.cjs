// The main thread's part: a beat every 20 ms that shows how late the event loop is; how busy it has
// been, its collections, its heap, and the requests of its http servers.
'use strict';
const diagnostics = require('node:diagnostics_channel');
const v8 = require('node:v8');
const { PerformanceObserver, performance } = require('node:perf_hooks');
const {
  BEAT_EVERY_MS, BLOCKED_MS, DELAYS, FIELD, PAUSES, PAUSE_SPAN_MS, nowMs, slot,
} = require('./memory.cjs');
const pools = require('./pools.cjs');

const SURVEY_EVERY_MS = 200;
// Older ones publish no `http.server.request.start`.
const NODE_WITH_CHANNELS = 18;

function start(memory) {
  memory[FIELD.beatMs] = nowMs();
  memory[FIELD.beats] = 0;
  memory[FIELD.gcMs] = 0;
  survey(memory);
  setInterval(beat, BEAT_EVERY_MS, memory).unref();
  watchCollections(memory);
  watchRequests(memory);
}

function beat(memory) {
  const now = nowMs();
  const beats = memory[FIELD.beats];
  const at = slot(DELAYS, beats);
  const late = Math.max(0, now - memory[FIELD.beatMs] - BEAT_EVERY_MS);
  memory[at] = now;
  memory[at + 1] = late;
  memory[FIELD.beatMs] = now;
  memory[FIELD.beats] = beats + 1;
  // What the reporter has said of a blocked loop must be true from now on.
  if (late > BLOCKED_MS || now - memory[FIELD.loopMs] > SURVEY_EVERY_MS) survey(memory);
}

function survey(memory) {
  memory[FIELD.loopMs] = nowMs();
  memory[FIELD.activeMs] = performance.eventLoopUtilization().active;
  memory[FIELD.heapBytes] = v8.getHeapStatistics().used_heap_size;
  pools.survey(memory);
}

function watchCollections(memory) {
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) record(memory, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function record(memory, pauseMs) {
  const span = Math.floor(nowMs() / PAUSE_SPAN_MS);
  const at = slot(PAUSES, span);
  memory[FIELD.gcMs] += pauseMs;
  memory[at + 1] = memory[at] === span ? Math.max(memory[at + 1], pauseMs) : pauseMs;
  memory[at] = span;
}

let channel; // Held here: an unreferenced channel loses its subscribers.

function watchRequests(memory) {
  if (parseInt(process.versions.node, 10) < NODE_WITH_CHANNELS) return;
  memory[FIELD.inFlight] = 0;
  const ended = () => {
    memory[FIELD.inFlight] -= 1;
  };
  channel = diagnostics.channel('http.server.request.start');
  channel.subscribe(({ response }) => {
    memory[FIELD.inFlight] += 1;
    // 'finish' would never come for a client that left.
    response.on('close', ended);
  });
}

module.exports = { start };
