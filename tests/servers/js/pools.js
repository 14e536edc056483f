// Fills one pool of each kind: connections to servers that never answer, and more queries than
// connections. Prints a port as its first line once all of them wait.
'use strict';
const http = require('node:http');
const net = require('node:net');
const mysql = require('mysql2/promise');
const { Pool: PgPool } = require('pg');
const undici = require('undici');

const SIZES = { pg: [3, 2], mysql2: 4, undici: 2 };
const QUERIES = 7;
const held = [];

function repeat(query) {
  for (let index = 0; index < QUERIES; index += 1) query().catch(() => {});
}

function fill(port, httpPort) {
  const at = { host: '127.0.0.1', port, user: 'nobody' };
  const pg = SIZES.pg.map((max) => new PgPool({ ...at, max }));
  const my = mysql.createPool({ ...at, connectionLimit: SIZES.mysql2 });
  const web = new undici.Pool(`http://127.0.0.1:${httpPort}`, { connections: SIZES.undici });
  held.push(...pg, my, web);
  pg.forEach((pool) => repeat(() => pool.query('select 1')));
  repeat(() => my.query('select 1'));
  repeat(() => web.request({ path: '/', method: 'GET' }));
}

const silent = net.createServer((socket) => socket.on('error', () => {}));
const slow = http.createServer(() => {});
silent.listen(0, '127.0.0.1', () => {
  slow.listen(0, '127.0.0.1', () => {
    fill(silent.address().port, slow.address().port);
    console.log(slow.address().port);
  });
});
