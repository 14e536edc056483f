// The reporter thread: answers on the loopback port with every process that shares it. The first
// process to take the port answers; the others hand it their own four times a second, and one of
// them takes over when it ends.
'use strict';
const http = require('node:http');
const { workerData } = require('node:worker_threads');
const { view } = require('./memory.cjs');
const { snapshot } = require('./snapshot.cjs');

const HOST = '127.0.0.1';
const FORMAT = 'breakstep.node/1';
const HAND_OVER_EVERY_MS = 250;
const FOREIGN_RETRY_MS = 5_000;
const FORGET_AFTER_MS = 1_500;
const PROCESSES_MAX = 256;
const BODY_MAX = 16_384;
const TIMEOUT_MS = 2_000;
// A web page could name us by a host of its own.
const OUR_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const MARK = 'x-breakstep-node';

const memory = view(workerData.buffer);
const others = new Map(); // id -> { at: ms, state }
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function takePort() {
  const server = http.createServer({ requestTimeout: TIMEOUT_MS }, answer);
  server.headersTimeout = TIMEOUT_MS;
  server.on('error', greet);
  // Exclusive: a cluster would hand the port out to all of its workers.
  server.listen({ host: HOST, port: workerData.port, exclusive: true });
}

function answer(request, response) {
  response.setHeader(MARK, FORMAT);
  if (!OUR_NAMES.test(request.headers.host ?? '')) return end(response, 403);
  if (request.method === 'GET') return end(response, 200, everyone());
  // No web page may set this header without asking first, and nobody answers that.
  if (request.method === 'POST' && request.headers[MARK] === FORMAT) {
    return receive(request, response);
  }
  return end(response, 405);
}

function end(response, status, body) {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(body);
}

function everyone() {
  const now = Date.now();
  for (const [id, { at }] of others) if (now - at > FORGET_AFTER_MS) others.delete(id);
  const states = [...others.values()].map(({ state }) => state);
  return JSON.stringify({ format: FORMAT, processes: [snapshot(memory), ...states] });
}

function receive(request, response) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
    if (text.length > BODY_MAX) request.destroy();
  });
  request.on('end', () => end(response, keep(text) ? 204 : 400));
}

function keep(text) {
  try {
    const state = JSON.parse(text);
    if (typeof state.id !== 'string') return false;
    if (others.size < PROCESSES_MAX || others.has(state.id)) {
      others.set(state.id, { at: Date.now(), state });
    }
    return true;
  } catch {
    return false;
  }
}

// Whoever holds the port may be no process of ours: it is asked before it is handed anything.
function greet() {
  call('GET', undefined, (ours) => (ours ? handOver() : setTimeout(takePort, FOREIGN_RETRY_MS)));
}

function handOver() {
  call('POST', JSON.stringify(snapshot(memory)), (taken) => {
    if (taken) setTimeout(handOver, HAND_OVER_EVERY_MS);
    else takePort();
  });
}

function call(method, body, done) {
  const { port } = workerData;
  const headers = { [MARK]: FORMAT, 'content-type': 'application/json' };
  const options = { host: HOST, port, method, headers, agent, timeout: TIMEOUT_MS };
  let answered = false;
  const once = (good) => {
    if (answered) return;
    answered = true;
    done(good);
  };
  const request = http.request(options, (response) => {
    const good = response.headers[MARK] === FORMAT && response.statusCode < 300;
    if (!good) request.destroy();
    response.on('data', () => {});
    response.on('error', () => once(false));
    response.on('end', () => once(good));
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => once(false));
  request.on('close', () => once(false));
  request.end(body);
}

takePort();
