// The first process of a cluster: replaces its workers one by one on SIGHUP, the new one first.
'use strict';
const cluster = require('node:cluster');

function start() {
  return new Promise((resolve) => {
    const worker = cluster.fork();
    worker.once('message', (port) => resolve({ worker, port }));
  });
}

function end(worker) {
  return new Promise((resolve) => {
    worker.once('exit', resolve);
    // Its half of the shared socket first: whoever connects now gets another worker.
    process.kill(worker.process.pid, 'SIGTERM');
  });
}

async function replaceAll(workers) {
  for (const index of workers.keys()) {
    const { worker } = await start();
    await end(workers[index]);
    workers[index] = worker;
  }
  console.log('replaced');
}

async function fork(count) {
  const started = await Promise.all(Array.from({ length: count }, start));
  const workers = started.map(({ worker }) => worker);
  process.on('SIGHUP', () => replaceAll(workers));
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGKILL');
    process.exit(0);
  });
  console.log(started[0].port);
}

module.exports = { fork };
