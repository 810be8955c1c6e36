import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { createChunkReader } from "./read-chunks.ts";

test("100,000 chunks of one byte are read in a few pieces (processor time)", async () => {
  let reads = 0;
  let bytes = 0;
  const server = Bun.serve({
    port: 0,
    async fetch({ body }) {
      if (body === null) return new Response();
      const stream = body.getReader();
      const reader = createChunkReader({
        read() {
          reads += 1;
          return stream.read();
        },
        cancel: () => stream.cancel(),
      });
      for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
        bytes += piece.length;
      }
      return new Response("read");
    },
  });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.write(`${head}${"1\r\nx\r\n".repeat(100_000)}0\r\n\r\n`);
  expect(String(await once(socket, "data"))).toStartWith("HTTP/1.1 200 ");
  socket.destroy();
  expect(bytes).toBe(100_000);
  expect(reads).toBeLessThan(10_000);
  await server.stop(true);
});

test("The pieces of a stream are passed on unchanged, and the rest is dropped after a cancellation", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let byte = 0; byte < 20; byte += 1) controller.enqueue(Uint8Array.of(byte));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const reader = createChunkReader(body.getReader());
  const read: number[] = [];
  while (read.length < 20) read.push(...((await reader.next()) ?? []));
  expect(read).toEqual(Array.from({ length: 20 }, (_, byte) => byte));
  reader.cancel();
  expect(isCancelled).toBeTrue();
});
