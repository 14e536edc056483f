// The connections to PostgreSQL.
'use strict';
const { Pool } = require('pg');

const SIZE = Number(process.env.PG_POOL ?? 10);
const IDLE_MS = Number(process.env.PG_IDLE_MS ?? 0);

// null without a database. A pool that keeps its connections is filled before the first request,
// which would pay for them otherwise.
async function openPool() {
  if (!process.env.PG_DSN) return null;
  const pool = new Pool({
    connectionString: process.env.PG_DSN,
    max: SIZE,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: Number(process.env.PG_WAIT_MS ?? 0),
  });
  if (IDLE_MS === 0) await fill(pool);
  return pool;
}

async function fill(pool) {
  const clients = await Promise.all(Array.from({ length: SIZE }, () => pool.connect()));
  clients.forEach((client) => client.release());
}

module.exports = { openPool };
