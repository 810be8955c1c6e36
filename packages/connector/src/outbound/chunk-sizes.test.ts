import { afterEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { watchChunkSizes } from "./chunk-sizes.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

const open: { stop(force: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop(true);
});

/** A server that sends each byte of its answer as a chunk of its own. */
function serveInBytes(body: Uint8Array, headers: string): number {
  const lines = [...body].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
  const head = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${headers}\r\n`;
  let left = Buffer.from(`${head}${lines}0\r\n\r\n`, "latin1");
  const send = (socket: Bun.Socket) => {
    left = left.subarray(socket.write(left));
    if (left.length === 0) socket.end();
  };
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: send, drain: send },
  });
  open.push(server);
  return server.port;
}

const guardedFetch = createGuardedFetch({
  policy: { savedHosts: [], allow: ["127.0.0.1"] },
  resolve: async () => ["127.0.0.1"],
});

/** It cannot be compressed. */
const noise = Buffer.concat(
  Array.from({ length: 2_000 }, (_, at) => new Bun.CryptoHasher("sha256").update(`${at}`).digest()),
);

test.each([
  ["an answer", noise, ""],
  ["a compressed answer", gzipSync(noise), "content-encoding: gzip\r\n"],
])("Reading %s in 64,000 chunks of one byte ends early, with advice", async (_, body, headers) => {
  expect(body.length).toBeGreaterThan(40_000);
  const response = await guardedFetch(`http://api.test:${serveInBytes(body, headers)}/`);
  await expect(response.bytes()).rejects.toThrow(
    /^api\.test(:\d+)? sends its answer in chunks of about 1 bytes/,
  );
});

test("A short answer may come in chunks of one byte", async () => {
  const port = serveInBytes(Buffer.from("x".repeat(5_000)), "");
  const response = await guardedFetch(`http://api.test:${port}/`);
  expect(await response.text()).toBe("x".repeat(5_000));
});

test("Chunks of 8 bytes, or short ones among long ones, never count as too short", () => {
  const sizes = watchChunkSizes("api.test");
  for (let at = 0; at < 100_000; at += 1) sizes.add(at % 2 === 0 ? 1 : 16);
});
