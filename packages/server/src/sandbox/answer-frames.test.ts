import { expect, test } from "bun:test";
import { AnswerFrames } from "./answer-frames.ts";
import { toFrame } from "./testing/fake-process.ts";

test("Frames are read however the pipe cuts and joins them", async () => {
  const body = JSON.stringify("u".repeat(40_000));
  const frames = [1, 2].map((id) => toFrame({ kind: "call", id, toolId: "t" }, body));
  const all = Buffer.concat([...frames, toFrame({ kind: "value", logs: [] }, "1")]);
  for (const size of [1, 7, 8, 16 * 1024, 65_536, all.length]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < all.length; at += size) {
          // A copy, since the pipe gives each piece its own memory.
          controller.enqueue(Uint8Array.from(all.subarray(at, at + size)));
        }
      },
    });
    const asked: unknown[] = [];
    const end = await new AnswerFrames(stream, () => {}).follow(({ header, body: text }) => {
      asked.push([header.id, Buffer.from(text).toString("latin1") === body]);
    });
    expect(asked).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(Buffer.from(end.body).toString()).toBe("1");
  }
});
