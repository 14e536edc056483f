// The connections to PostgreSQL.
'use strict';
const { Pool } = require('pg');

const SIZE = Number(process.env.PG_POOL ?? 10);

// null without a database. Filled before the first request, or else that one pays for all.
async function openPool() {
  if (!process.env.PG_DSN) return null;
  const pool = new Pool({
    connectionString: process.env.PG_DSN,
    max: SIZE,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: Number(process.env.PG_WAIT_MS ?? 0),
  });
  if (process.env.PG_COLD !== '1') await fill(pool);
  return pool;
}

async function fill(pool) {
  const clients = await Promise.all(Array.from({ length: SIZE }, () => pool.connect()));
  clients.forEach((client) => client.release());
}

module.exports = { openPool };
