/**
 * Calls the operations of an `http` row whose system answers with what never ends: compressed nothing, interim answers,
 * headers, trailers, extensions of chunks, single bytes. Prints for each attack how long the event loop's thread worked in
 * one go, all processor time and the memory: `bun scripts/attacks/hostile-upstream.ts [--only TEXT] [--hub CHECKOUT]`.
 * The exit code is 1 if an attack exceeds the law of `request-cost/law.ts`. Linux only, about two minutes.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { deflateRawSync } from "node:zlib";
import { openBridgeAdmin } from "../../test/support/bridges/bridge-admin.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
const mebibyte = 1024 * 1024;

/** The beginning of a gzip file, and a stored block of deflate without a byte, which may be repeated without end. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const emptyBlocks = Buffer.concat(Array(13_000).fill(Buffer.from([0, 0, 0, 0xff, 0xff])));
/** The same compressed: a kilobyte becomes a megabyte of nothing. */
const packedBlocks = deflateRawSync(Buffer.concat(Array(200).fill(emptyBlocks)), {
  finishFlush: 2,
});

type Attack = {
  head: string;
  begin?: Uint8Array;
  again: () => string | Uint8Array;
  bytesMax: number;
};

const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const attacks: { [name: string]: Attack } = {
  gzip_of_nothing: {
    head: `${ok}content-encoding: gzip\r\n\r\n`,
    begin: gzipHead,
    again: () => emptyBlocks,
    bytesMax: 8192 * mebibyte,
  },
  gzip_of_gzip_of_nothing: {
    head: `${ok}content-encoding: gzip, gzip\r\n\r\n`,
    begin: Buffer.concat([gzipHead, deflateRawSync(gzipHead, { finishFlush: 2 })]),
    again: () => packedBlocks,
    bytesMax: 64 * mebibyte,
  },
  interim_answers: {
    head: "",
    again: () => "HTTP/1.1 102 Processing\r\n\r\n".repeat(2_000),
    bytesMax: 1024 * mebibyte,
  },
  early_hints: {
    head: "",
    again: () => `HTTP/1.1 103 Early Hints\r\nlink: </${"a".repeat(4_000)}>\r\n\r\n`.repeat(16),
    bytesMax: 1024 * mebibyte,
  },
  headers_without_end: {
    head: ok,
    again: () => "x-ratelimit-a: 1\r\n".repeat(2_000),
    bytesMax: 1024 * mebibyte,
  },
  trailers_without_end: {
    head: `${chunked}2\r\n{}\r\n0\r\n`,
    again: () => "x-a: 1\r\n".repeat(4_000),
    bytesMax: 1024 * mebibyte,
  },
  extensions_without_end: {
    head: `${chunked}2;a=`,
    again: () => "x".repeat(65_536),
    bytesMax: 1024 * mebibyte,
  },
  chunks_of_one: {
    head: chunked,
    again: () => "1\r\n \r\n".repeat(8_000),
    bytesMax: 64 * mebibyte,
  },
};

/** Sends an answer until the other side closes. Its bytes are counted. */
let sentBytes = 0;
async function send(socket: Socket, { head, begin, again, bytesMax }: Attack): Promise<void> {
  socket.write(head);
  if (begin !== undefined) socket.write(begin);
  const startBytes = sentBytes;
  while (!socket.destroyed && sentBytes - startBytes < bytesMax) {
    const part = again();
    sentBytes += part.length;
    if (socket.write(part)) await new Promise(setImmediate);
    else await waitForDrain(socket);
  }
  socket.end();
}

function waitForDrain(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    socket.off("drain", end).off("close", end);
    resolve();
  };
  socket.on("drain", end).on("close", end);
  return promise;
}

const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (bytes) => {
    const path = /^\w+ (\/\S*)/.exec(bytes.toString("latin1"))?.[1] ?? "/";
    const [, kind = "", ...rest] = path.split("/");
    if (kind === "circle") {
      const next = `http://127.0.0.1:${port}/circle/${Number(rest[0] ?? 0) + 1}`;
      return socket.end(`HTTP/1.1 302 Found\r\nlocation: ${next}\r\ncontent-length: 0\r\n\r\n`);
    }
    if (kind === "headers") {
      const lines = Array.from({ length: 1_500 }, (_, at) => `x-ratelimit-${at}: ${at}\r\n`);
      return socket.end(`${ok}${lines.join("")}content-length: 2\r\n\r\n{}`);
    }
    const attack = attacks[kind];
    if (attack !== undefined) void send(socket, attack).catch(() => {});
    else socket.end(`${ok}content-length: 2\r\n\r\n{}`);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const port = Object(server.address()).port as number;

await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const admin = await openBridgeAdmin(hub);
const row = await admin.addRow(
  { connector: "http", label: "Hostile" },
  { base_url: `http://127.0.0.1:${port}`, auth_mode: "bearer", token: "kd8Wz3xQp7Lm2vTb" },
);
const judge = createJudge(watched, flags.only);
async function execute(path: string): Promise<string> {
  const frame = toToolCall("hub_execute", { tool_id: `conn:${row}/get`, params: { path } });
  return await (await postRpc(hub.url, hub.adminToken(), frame)).text();
}

for (const name of Object.keys(attacks)) {
  const before = sentBytes;
  // The law's share for what the hub may read of an answer.
  await judge.attack(name, { bytes: 16 * mebibyte, requests: 1 }, async () => {
    const answer = await execute(`/${name}`);
    return `${((sentBytes - before) / mebibyte).toFixed(0)} MiB sent; ${answer.replace(/^.*"text":/s, "")}`;
  });
}
await judge.attack("20 redirects in a circle", { bytes: 0, requests: 20 }, async () =>
  (await Promise.all(Array.from({ length: 20 }, () => execute("/circle")))).join().slice(-200),
);
await judge.attack("20 answers of 1,500 headers", { bytes: 20 * 40_000, requests: 20 }, async () =>
  (await Promise.all(Array.from({ length: 20 }, () => execute("/headers")))).join().slice(-200),
);
server.close();
judge.end();
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();
