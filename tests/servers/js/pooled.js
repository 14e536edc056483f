// An app with a pool of PG_POOL connections to PostgreSQL (PG_DSN): /heavy?N adds up N numbers there,
// /sleep?S sleeps there for S seconds. The pool is filled before it prints its port.
'use strict';
const http = require('node:http');
const { Pool } = require('pg');

const SIZE = Number(process.env.PG_POOL ?? 10);
const pool = new Pool({ connectionString: process.env.PG_DSN, max: SIZE, idleTimeoutMillis: 0 });

const QUERIES = {
  '/heavy': 'select sum(sqrt(number)) from generate_series(1, $1::int) as number',
  '/sleep': 'select pg_sleep($1::float)',
};

async function answer(request, response) {
  const [path, argument] = request.url.split('?');
  try {
    await pool.query(QUERIES[path], [Number(argument)]);
    response.end('ok\n');
  } catch (error) {
    response.statusCode = 500;
    response.end(`${error.message}\n`);
  }
}

async function start() {
  const clients = await Promise.all(Array.from({ length: SIZE }, () => pool.connect()));
  clients.forEach((client) => client.release());
  const server = http.createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

start();
