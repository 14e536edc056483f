// A plain HTTP server: 100 bytes from memory. Prints the port it listens on as its first line.
'use strict';
const http = require('node:http');

const body = 'x'.repeat(100);
const server = http.createServer((_, response) => response.end(body));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
