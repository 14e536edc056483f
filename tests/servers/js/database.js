// An app with a pool of connections to PostgreSQL (PG_DSN) and one
// connection to Redis (REDIS_PORT): every request asks both. Prints its port as its first line.
'use strict';
const http = require('node:http');
const net = require('node:net');
const { Pool } = require('pg');

const pool = new Pool({ connectionString: process.env.PG_DSN, max: 2, idleTimeoutMillis: 0 });
const redis = net.connect(Number(process.env.REDIS_PORT), '127.0.0.1');
redis.on('data', () => {});

const server = http.createServer(async (_, response) => {
  redis.write('PING\r\n');
  await pool.query('select 1');
  response.end('ok\n');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
