// The app of the Node labs: Express in front of PostgreSQL, and a hash that takes CPU.
//
//   PORT          where to listen; 0 is any
//   WORKERS       processes of a cluster; 0 is one process without a cluster
//   PG_DSN        where PostgreSQL is; without it /db and /dbsleep do not exist
//   PG_POOL       connections of the pool of each process
//   PG_WAIT_MS    how long a request waits for a connection; 0 is for ever
//   PG_IDLE_MS    how long the pool keeps a connection that is not used; 0 is for ever
//   TLS_KEY, TLS_CERT   files; with them it speaks https
//
// Prints the port it listens on as its first line, once everything is ready.
'use strict';
const cluster = require('node:cluster');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { application } = require('./routes');
const { openPool } = require('./pool');

const WORKERS = Number(process.env.WORKERS ?? 0);
const PORT = Number(process.env.PORT ?? 0);

function serverFor(app) {
  if (!process.env.TLS_KEY) return http.createServer(app);
  const files = { key: process.env.TLS_KEY, cert: process.env.TLS_CERT };
  return https.createServer(
    { key: fs.readFileSync(files.key), cert: fs.readFileSync(files.cert) },
    app,
  );
}

async function serve() {
  const server = serverFor(application(await openPool()));
  // Longer than any pause of the load: no connection is closed while it carries none.
  server.keepAliveTimeout = 60_000;
  server.listen(PORT, '127.0.0.1', 4_096, () => ready(server.address().port));
}

function ready(port) {
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
else serve();
