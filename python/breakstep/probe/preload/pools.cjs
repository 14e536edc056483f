// Finds the connection pools that the app makes with pg, mysql2 and undici. A pool is known from
// its first use, and held weakly.
'use strict';
const Module = require('node:module');
const { KINDS, POOLS, slot } = require('./memory.cjs');

// [file that makes the pools, kind, the class in its exports, the method every use goes through]
const MAKERS = [
  [/[\\/]pg-pool[\\/]index\.js$/, 'pg', (exports) => exports, 'connect'],
  [/[\\/]mysql2[\\/]lib[\\/](base[\\/])?pool\.js$/, 'mysql2', (exports) => exports, 'getConnection'],
  [/[\\/]undici[\\/]lib[\\/](dispatcher[\\/])?pool-base\.js$/, 'undici',
    (exports) => exports.PoolBase, 'dispatch'],
];

// What each kind says of itself: connections it may hold (NaN: any number), those in use, and who
// waits for one. One that is being opened is in use.
const COUNTS = {
  pg: (pool) => [pool.options.max, pool.totalCount - pool.idleCount, pool.waitingCount],
  mysql2: (pool) => [
    pool.config.connectionLimit || NaN,
    pool._allConnections.length - pool._freeConnections.length,
    pool._connectionQueue.length,
  ],
  undici: (pool) => [connectionsOf(pool), pool.stats.running, pool.stats.pending],
};
const GONE = {
  pg: (pool) => pool.ended,
  mysql2: (pool) => pool._closed,
  undici: (pool) => pool.closed || pool.destroyed,
};

const known = new WeakSet();
let found = []; // { kind, pool: WeakRef }

function connectionsOf(pool) {
  const symbols = Object.getOwnPropertySymbols(pool);
  return pool[symbols.find((symbol) => symbol.description === 'connections')] ?? NaN;
}

// Every file goes through _compile, required or imported, whatever loader is installed.
function watch() {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function _compile(content, filename, ...rest) {
    const result = compile.call(this, content, filename, ...rest);
    const maker = MAKERS.find(([file]) => file.test(filename));
    if (maker !== undefined) follow(this.exports, maker);
    return result;
  };
}

function follow(exported, [, kind, classOf, method]) {
  const prototype = classOf(exported)?.prototype;
  const original = prototype?.[method];
  if (typeof original !== 'function') return;
  const value = function (...args) {
    if (!known.has(this)) remember(this, kind);
    return original.apply(this, args);
  };
  Object.defineProperties(value, Object.getOwnPropertyDescriptors(original));
  Object.defineProperty(prototype, method, {
    value, configurable: true, writable: true, enumerable: false,
  });
}

function remember(pool, kind) {
  known.add(pool);
  found.push({ kind, pool: new WeakRef(pool) });
}

function survey(memory) {
  found = found.filter(alive);
  for (let index = 0; index < POOLS.slots; index += 1) {
    memory.set(index < found.length ? row(found[index]) : [NaN, NaN, NaN, NaN], slot(POOLS, index));
  }
}

function alive({ kind, pool }) {
  const held = pool.deref();
  return held !== undefined && !GONE[kind](held);
}

function row({ kind, pool }) {
  try {
    return [KINDS.indexOf(kind), ...COUNTS[kind](pool.deref())];
  } catch {
    return [NaN, NaN, NaN, NaN]; // A version that keeps its books elsewhere.
  }
}

module.exports = { survey, watch };
