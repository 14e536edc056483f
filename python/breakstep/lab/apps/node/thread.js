// A worker thread that hashes whatever it is sent.
'use strict';
const { pbkdf2Sync } = require('node:crypto');
const { parentPort } = require('node:worker_threads');

parentPort.on('message', (hash) => parentPort.postMessage(pbkdf2Sync(...hash).toString('hex')));
