import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createFileReader } from "./read-file.ts";
import { createUnreadBodies } from "./unread-bodies.ts";

const unread = createUnreadBodies();

/** A request whose body is under the control of the test. */
function openRequest(headers: Record<string, string> = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      isCancelled = true;
    },
  });
  const req = new Request("http://hub.test/", { method: "POST", headers, body });
  return {
    req,
    send: (bytes: number) => controller?.enqueue(new Uint8Array(bytes)),
    end: () => controller?.close(),
    fail: () => controller?.error(new Error("reset")),
    isCancelled: () => isCancelled,
  };
}

async function countBytes(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

test("A file is read to its end, up to its limit", async () => {
  const readFile = createFileReader({ timers: createManualTimers(), unread });
  const { req, send, end } = openRequest();
  send(6);
  send(4);
  end();
  expect(await countBytes(readFile(req, 10))).toBe(10);
});

test("A file without Content-Length that exceeds the limit is refused, and the rest is not read", async () => {
  const readFile = createFileReader({ timers: createManualTimers(), unread });
  const { req, send, isCancelled } = openRequest();
  send(6);
  send(5);
  await expect(countBytes(readFile(req, 10))).rejects.toMatchObject({ code: "body_too_large" });
  unread.take(req)?.cancel();
  expect(isCancelled()).toBeTrue();
});

test("A file that ends before its Content-Length or with a broken connection is not complete", async () => {
  const readFile = createFileReader({ timers: createManualTimers(), unread });
  const short = openRequest({ "content-length": "9" });
  short.send(8);
  short.end();
  await expect(countBytes(readFile(short.req, 10))).rejects.toMatchObject({
    code: "invalid_request",
  });
  const broken = openRequest();
  broken.fail();
  await expect(countBytes(readFile(broken.req, 10))).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("A file that stops to arrive is refused after 25 seconds, and its timer ends (slow loris)", async () => {
  const timers = createManualTimers();
  const readFile = createFileReader({ timers, unread });
  const { req, send } = openRequest();
  send(1);
  const chunks = readFile(req, 10);
  await chunks.next();
  const next = chunks.next();
  timers.advance(25_001);
  await expect(next).rejects.toMatchObject({ code: "body_too_slow" });
  expect(timers.pending()).toBe(0);
});

test("A fifth file at once is refused until another one is done (full disk)", async () => {
  const readFile = createFileReader({ timers: createManualTimers(), unread });
  const files = Array.from({ length: 4 }, () => {
    const request = openRequest();
    request.send(1);
    return { ...request, chunks: readFile(request.req, 10) };
  });
  for (const { chunks } of files) await chunks.next();
  const attempt = () => {
    const { req, end } = openRequest();
    end();
    return countBytes(readFile(req, 10));
  };
  await expect(attempt()).rejects.toMatchObject({ code: "rate_limited" });
  await files[0]?.chunks.return(undefined);
  expect(await attempt()).toBe(0);
});

test("Portions that were read are not kept in memory until the end (memory exhaustion)", async () => {
  const readFile = createFileReader({ timers: createManualTimers(), unread });
  const { req, send } = openRequest();
  const chunks = readFile(req, 1_000_000);
  const read: WeakRef<Uint8Array>[] = [];
  for (let count = 0; count < 50; count += 1) {
    send(1000);
    const next = await chunks.next();
    if (!next.done) read.push(new WeakRef(next.value));
  }
  Bun.gc(true);
  await new Promise(setImmediate);
  Bun.gc(true);
  const kept = read.filter((portion) => portion.deref() !== undefined);
  // The collector may take the last ones for used.
  expect([read.length, kept.length < 10]).toEqual([50, true]);
  await chunks.return(undefined);
});
