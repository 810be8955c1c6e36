/** Node's HTTP server. It reports each request on the standard output, and reads its answer from the input. */
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const waiting = new Map();
const connections = new WeakMap();
let connectionCount = 0;
let requestCount = 0;

const server = createServer((req, res) => {
  const chunks = [];
  req.on("data", (chunk) => chunks.push(chunk));
  req.on("end", () => {
    const { method, url: target, headers } = req;
    const n = ++requestCount;
    waiting.set(n, res);
    const connection = connections.get(req.socket);
    const body = Buffer.concat(chunks).toString("base64");
    say({ n, connection, method, target, headers: Object.entries(headers), body });
  });
});
// Longer than the hub keeps a connection, so that none closes while it is used.
server.keepAliveTimeout = 60_000;
server.on("connection", (socket) => connections.set(socket, ++connectionCount));
server.on("clientError", (err, socket) => {
  if (err.code !== "ECONNRESET") say({ fault: String(err) });
  socket.destroy();
});
server.listen(0, "127.0.0.1", () => say({ port: server.address().port }));

createInterface({ input: process.stdin }).on("line", (line) => {
  const { n, status, headers, body } = JSON.parse(line);
  const res = waiting.get(n);
  waiting.delete(n);
  res.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  res.end(res.req.method === "HEAD" ? undefined : body);
});
