// What the shared memory says of the main thread at this moment, also while that thread is blocked.
'use strict';
const { randomBytes } = require('node:crypto');
const {
  BEAT_EVERY_MS, BLOCKED_MS, DELAYS, FIELD, KINDS, PAUSES, PAUSE_SPAN_MS, POOLS, nowMs, slot,
} = require('./memory.cjs');

const WINDOW_MS = 1_000;
// A pid alone is not enough: containers that share a network each have a process 1.
const ID = `${process.pid}-${randomBytes(6).toString('hex')}`;

function snapshot(memory) {
  const now = nowMs();
  const missed = Math.max(0, now - memory[FIELD.beatMs] - BEAT_EVERY_MS);
  const { user, system } = process.cpuUsage();
  return {
    id: ID,
    pid: process.pid,
    node: process.versions.node,
    at_ms: now,
    cpu_ms: (user + system) / 1e3,
    rss_bytes: process.memoryUsage.rss(),
    beat_ms: memory[FIELD.beatMs],
    ...loop(memory, missed),
    delay_ms: delays(memory, now, missed),
    gc_ms: memory[FIELD.gcMs],
    gc_pause_max_ms: longestPause(memory, now),
    heap_bytes: memory[FIELD.heapBytes],
    in_flight: memory[FIELD.inFlight],
    pools: pools(memory),
  };
}

// Two clocks that were read together. While beats are missed the loop is busy, so both go on by the
// time missed; what is said is never more than what was, and never goes back.
function loop(memory, missed) {
  const blocked = missed > BLOCKED_MS ? missed : 0;
  return {
    loop_ms: memory[FIELD.loopMs] + blocked,
    loop_active_ms: memory[FIELD.activeMs] + blocked,
  };
}

function delays(memory, now, missed) {
  const late = missed > BLOCKED_MS ? [missed] : [];
  for (let index = 0; index < DELAYS.slots; index += 1) {
    const at = slot(DELAYS, index);
    if (memory[at] > now - WINDOW_MS) late.push(memory[at + 1]);
  }
  late.sort((a, b) => a - b);
  return { p50: quantile(late, 0.5), p99: quantile(late, 0.99), max: quantile(late, 1) };
}

function quantile(ordered, share) {
  return ordered.length === 0 ? NaN : ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)];
}

function longestPause(memory, now) {
  const first = Math.floor((now - WINDOW_MS) / PAUSE_SPAN_MS);
  let longest = 0;
  for (let index = 0; index < PAUSES.slots; index += 1) {
    const at = slot(PAUSES, index);
    if (memory[at] >= first) longest = Math.max(longest, memory[at + 1]);
  }
  return longest;
}

function pools(memory) {
  const all = [];
  for (let index = 0; index < POOLS.slots; index += 1) {
    const [kind, size, busy, waiting] = memory.subarray(slot(POOLS, index));
    if (KINDS[kind] !== undefined) all.push({ kind: KINDS[kind], size, busy, waiting });
  }
  return all;
}

module.exports = { snapshot };
