// The same hash in three places: on the event loop, in libuv's pool, in worker threads.
'use strict';
const { pbkdf2, pbkdf2Sync } = require('node:crypto');
const { promisify } = require('node:util');
const { Worker } = require('node:worker_threads');

// Some milliseconds of CPU on today's cores.
const HASH = ['secret', 'salt', 10_000, 64, 'sha512'];
// As many as libuv has of its own.
const THREADS = 4;

const derive = promisify(pbkdf2);
let threads = null;

const here = () => pbkdf2Sync(...HASH).toString('hex');

const inPool = async () => (await derive(...HASH)).toString('hex');

// Asked in turn, each answers in the order in which it was asked.
function inThread() {
  threads ??= Array.from({ length: THREADS }, start);
  return new Promise((resolve) => {
    const thread = threads.shift();
    threads.push(thread);
    thread.asked.push(resolve);
    thread.worker.postMessage(HASH);
  });
}

function start() {
  const thread = { worker: new Worker(require.resolve('./thread')), asked: [] };
  thread.worker.on('message', (key) => thread.asked.shift()(key));
  return thread;
}

module.exports = { here, inPool, inThread };
