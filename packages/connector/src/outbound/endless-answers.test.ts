import { afterEach, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { createGuardedFetch } from "./guarded-fetch.ts";

const open: { stop(): unknown }[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.stop();
});

/** Fetches from a server that answers with these bytes. */
async function fetchAnswer(...parts: (string | Uint8Array)[]): Promise<string> {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const listener = Bun.listen<{ sent: number }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { sent: 0 };
      },
      data: write,
      drain: write,
    },
  });
  function write(socket: Bun.Socket<{ sent: number }>): void {
    socket.data.sent += socket.write(bytes.subarray(socket.data.sent));
    if (socket.data.sent === bytes.length) socket.end();
  }
  open.push(listener);
  const host = `127.0.0.1:${listener.port}`;
  const policy = { savedHosts: [host], allow: [] };
  const fetch = createGuardedFetch({ policy, bodyBytesMax: 100_000 });
  const response = await fetch(`http://${host}/`);
  return await response.text();
}

const head = "HTTP/1.1 200 OK\r\n";
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const emptyBlocks = Buffer.concat(Array(80_000).fill(Buffer.from([0, 0, 0, 0xff, 0xff])));

test("Compressed bytes that decode to nothing count", async () => {
  const answer = fetchAnswer(`${head}content-encoding: gzip\r\n\r\n`, gzipHead, emptyBlocks);
  await expect(answer).rejects.toMatchObject({ code: "body_too_large" });
});

test("Bytes between two layers of compression count", async () => {
  const inner = Buffer.concat([gzipHead, emptyBlocks]);
  const outer = Buffer.concat([gzipHead, deflateRawSync(inner, { finishFlush: 2 })]);
  expect(outer.length).toBeLessThan(10_000);
  const answer = fetchAnswer(`${head}content-encoding: gzip, gzip\r\n\r\n`, outer);
  await expect(answer).rejects.toMatchObject({ code: "body_too_large" });
});

test("Some interim answers may come before an answer, and many end the request", async () => {
  const interim = "HTTP/1.1 102 Processing\r\n\r\n";
  const end = `${head}content-length: 2\r\n\r\nok`;
  expect(await fetchAnswer(interim.repeat(10), end)).toBe("ok");
  await expect(fetchAnswer(interim.repeat(100), end)).rejects.toThrow("more than 32 interim");
});
