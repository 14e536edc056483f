// An HTTP server whose event loop can be kept busy: PORT is 0 for any; WORKERS makes it a cluster of
// so many. Prints the port it listens on as its first line.
'use strict';
const cluster = require('node:cluster');
const crypto = require('node:crypto');
const http = require('node:http');

const WORKERS = Number(process.env.WORKERS ?? 0);
const PORT = Number(process.env.PORT ?? 0);

let kept = [];

function block(ms) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6));
  while (process.hrtime.bigint() < end);
}

// Objects that live for some collections, so that the collector has to move them.
function allocate(count) {
  for (let index = 0; index < count; index += 1) kept.push({ index, text: `${index}` });
  if (kept.length > 400_000) kept = [];
}

const ROUTES = {
  '/fast': (_, done) => done(),
  '/cpu': (rounds, done) => {
    crypto.pbkdf2Sync('secret', 'salt', rounds || 5_000, 32, 'sha256');
    done();
  },
  '/block': (ms, done) => {
    block(ms);
    done();
  },
  '/wait': (ms, done) => setTimeout(done, ms),
  '/allocate': (count, done) => {
    allocate(count);
    done();
  },
  '/exit': () => process.exit(0),
};

// /block?50 is the route /block with the argument 50.
function answer(request, response) {
  const [path, argument] = request.url.split('?');
  const route = ROUTES[path];
  if (route === undefined) {
    response.statusCode = 404;
    response.end();
    return;
  }
  route(Number(argument ?? 0), () => response.end(`${process.pid}\n`));
}

function listen() {
  const server = http.createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.listen(PORT, '127.0.0.1', () => started(server.address().port));
}

function started(port) {
  if (cluster.isWorker) process.send(port);
  else console.log(port);
}

function fork() {
  const waiting = new Set(Array.from({ length: WORKERS }, () => cluster.fork()));
  cluster.on('message', (worker, port) => {
    waiting.delete(worker);
    if (waiting.size === 0) console.log(port);
  });
  process.on('SIGTERM', () => process.exit(0));
}

if (cluster.isPrimary && WORKERS > 0) fork();
else listen();
