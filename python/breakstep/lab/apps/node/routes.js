// What the app answers.
'use strict';
const express = require('express');
const hash = require('./hash');

const BY_MONTH =
  "select date_trunc('month', placed) as month, count(*) as orders, sum(amount) as total " +
  'from orders where customer = $1 group by 1 order by 1';
const CUSTOMERS = 1_000;
const SLEEP = 'select pg_sleep(0.02)';

// `pool` is null without a database.
function application(pool) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/ping', (_, response) => response.json({ ok: true }));
  app.get('/cpu', (_, response) => response.json({ key: hash.here() }));
  app.get('/cpu-pool', async (_, response) => response.json({ key: await hash.inPool() }));
  app.get('/cpu-thread', async (_, response) => response.json({ key: await hash.inThread() }));
  if (pool !== null) withDatabase(app, pool);
  return app;
}

function withDatabase(app, pool) {
  app.get('/db', async (_, response) => {
    const customer = Math.floor(Math.random() * CUSTOMERS);
    const found = await pool.query(BY_MONTH, [customer]);
    response.json(found.rows);
  });
  app.get('/dbsleep', async (_, response) => {
    await pool.query(SLEEP);
    response.json({ ok: true });
  });
  // Express tells by the four parameters that this is for errors.
  app.use((error, _request, response, _next) => {
    response.status(500).json({ error: error.message });
  });
}

module.exports = { application };
