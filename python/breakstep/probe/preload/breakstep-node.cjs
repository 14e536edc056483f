// Shows breakstep what a Node process does:
//
//   node --require /path/to/breakstep-node.cjs app.js
//
// Needs Node 16 or newer and the files beside this one, nothing else. BREAKSTEP_NODE_PORT is the
// loopback port that answers (7891 without it); 0 turns everything off. Nothing here may throw into
// the app, print, or keep its process alive.
'use strict';
const path = require('node:path');
const { Worker, isMainThread } = require('node:worker_threads');

const PORT_DEFAULT = 7891;
const PORT_MAX = 65_535;
// `npm start` hands NODE_OPTIONS on to the app, but is no part of it.
const STARTERS = /[\\/](npm|npx|pnpm|pnpx|yarn|corepack)(-cli)?(\.[cm]?js)?$/;

function wantedPort() {
  const port = Number(process.env.BREAKSTEP_NODE_PORT ?? PORT_DEFAULT);
  const usable = Number.isInteger(port) && port > 0 && port <= PORT_MAX;
  return usable && isMainThread && !STARTERS.test(process.argv[1] ?? '') ? port : 0;
}

// A thread of its own, because a blocked event loop cannot answer for itself.
function startReporter(port, buffer) {
  const reporter = new Worker(path.join(__dirname, 'reporter.cjs'), {
    name: 'breakstep',
    workerData: { port, buffer },
    argv: [],
    execArgv: [],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
  });
  // Without a listener an error in there would be thrown here.
  reporter.on('error', () => {});
  reporter.unref();
}

function start() {
  const port = wantedPort();
  if (port === 0) return;
  const memory = require('./memory.cjs').allocate();
  require('./pools.cjs').watch(memory);
  require('./measure.cjs').start(memory);
  startReporter(port, memory.buffer);
}

try {
  start();
} catch {
  // The app comes first: where no thread may be started there is nothing to see.
}
