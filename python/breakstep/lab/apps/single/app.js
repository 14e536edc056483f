// One server without a database: plain http.
//
//   /fast               answers at once
//   /slow-async?ms=20   answers after a timer: the event loop is free meanwhile
//   /slow-sync?ms=20    computes that long: the event loop does nothing else
//   /health             what it is doing, as JSON
//
//   WORKERS    processes of a cluster, replaced one by one on SIGHUP; 0 is one without a cluster
//   GRACEFUL   1 lets a process answer what it has begun before it goes
//
// Prints the port it listens on as its first line.
'use strict';
const cluster = require('node:cluster');
const http = require('node:http');
const { fork } = require('./rolling');

const WORKERS = Number(process.env.WORKERS ?? 0);
const GRACEFUL = process.env.GRACEFUL === '1';

let inFlight = 0;
let total = 0;
let leaving = false;

function compute(ms) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6));
  while (process.hrtime.bigint() < end);
}

function health() {
  return JSON.stringify({
    status: leaving ? 'leaving' : 'ok',
    instance: process.pid,
    uptime_s: process.uptime(),
    in_flight: inFlight,
    total,
  });
}

const ROUTES = {
  '/fast': (_, done) => done('ok\n'),
  '/slow-async': (ms, done) => setTimeout(done, ms, 'ok\n'),
  '/slow-sync': (ms, done) => {
    compute(ms);
    done('ok\n');
  },
  '/health': (_, done) => done(health()),
};

function answer(request, response) {
  const url = new URL(request.url, 'http://lab');
  const route = ROUTES[url.pathname];
  if (route === undefined) {
    response.writeHead(404).end();
    return;
  }
  inFlight += 1;
  total += 1;
  response.on('close', () => (inFlight -= 1));
  route(Number(url.searchParams.get('ms') ?? 0), (text) => {
    if (leaving) response.setHeader('Connection', 'close');
    response.end(text);
  });
}

function serve() {
  const server = http.createServer(answer);
  // Longer than any pause of the load: no connection is closed while it carries none.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', 4_096, () => listening(server.address().port));
  process.on('SIGTERM', () => leave(server));
}

function leave(server) {
  if (!GRACEFUL) process.exit(0);
  leaving = true;
  // New connections go to the others by now; idle ones are closed, the rest after their answer.
  server.close(() => process.exit(0));
}

function listening(port) {
  if (cluster.isWorker) process.send(port);
  else console.log(port);
}

if (cluster.isPrimary && WORKERS > 0) fork(WORKERS);
else serve();
