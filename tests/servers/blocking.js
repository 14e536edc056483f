// Every request keeps the event loop busy with one key derivation, and is answered with the number
// of requests that the app itself believes to be in flight. Listens on a free port or on a path.
"use strict";

const crypto = require("node:crypto");
const http = require("node:http");

let inFlight = 0;

function block(iterations) {
  crypto.pbkdf2Sync("password", "salt", iterations, 64, "sha512");
}

const server = http.createServer((request, response) => {
  inFlight += 1;
  response.on("finish", () => {
    inFlight -= 1;
  });
  const { searchParams } = new URL(request.url, "http://localhost");
  block(Number(searchParams.get("iterations") || 1));
  response.end(String(inFlight));
});

const path = process.argv[2];
server.listen(path ? { path } : { port: 0, host: "127.0.0.1" }, () => {
  process.stdout.write(`${path || server.address().port}\n`);
});
