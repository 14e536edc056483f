// A plain HTTP server that echoes bodies and logs every finished request, one JSON line each:
// node node_server.js LOG_FILE. Prints the port it listens on as its first line.
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');

const log = fs.openSync(process.argv[2], 'a');

function finish(request, response, body) {
  const line = {
    method: request.method,
    path: request.url,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  };
  const answer = body.length > 0 ? body : 'node says hello\n';
  response.on('finish', () => fs.writeSync(log, `${JSON.stringify(line)}\n`));
  response.end(answer);
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => finish(request, response, Buffer.concat(parts)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
