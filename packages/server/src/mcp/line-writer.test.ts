import { expect, test } from "bun:test";
import { LineWriter } from "./line-writer.ts";
import { nextTurn } from "./testing/until.ts";

/** An output whose reader takes nothing until it is let. */
function openOutput() {
  const gate = Promise.withResolvers<void>();
  const written: string[] = [];
  let broken = 0;
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      await gate.promise;
      written.push(new TextDecoder().decode(chunk));
    },
  });
  const writer = new LineWriter(output, () => {
    broken += 1;
  });
  return { writer, written, gate, broken: () => broken };
}

test("writes frames in order, one a line", async () => {
  const { writer, written, gate } = openOutput();
  gate.resolve();
  for (const frame of ["1", "2", "3"]) writer.write(frame);
  await writer.whenWritten();
  expect(written.join("")).toBe("1\n2\n3\n");
});

test("a slow reader finds some of a call's progress and the latest, not a pile", async () => {
  const { writer, written, gate } = openOutput();
  writer.write("first");
  await nextTurn();
  const progress = writer.openProgress();
  for (let step = 1; step <= 100_000; step += 1) progress.put(`step ${step}`);
  writer.write("result");
  gate.resolve();
  await writer.whenWritten();
  const steps = [...Array.from({ length: 15 }, (_, index) => index + 1), 100_000];
  expect(written.join("").split("\n")).toEqual([
    "first",
    ...steps.map((step) => `step ${step}`),
    "result",
    "",
  ]);
});

test("progress goes on after a pause, and is cleared before it leaves", async () => {
  const { writer, written, gate } = openOutput();
  gate.resolve();
  const progress = writer.openProgress();
  progress.put("1");
  await writer.whenWritten();
  progress.put("2");
  await writer.whenWritten();
  progress.put("3");
  progress.put("4");
  progress.clear();
  await writer.whenWritten();
  expect(written.join("")).toBe("1\n2\n");
});

test("has no room while more than 4 MiB wait to be taken", async () => {
  const { writer, gate } = openOutput();
  writer.write("first");
  await nextTurn();
  for (let count = 0; count < 5; count += 1) writer.write("x".repeat(1024 * 1024));
  const room = writer.whenRoom();
  await nextTurn();
  expect(Bun.peek.status(room)).toBe("pending");
  gate.resolve();
  await room;
});

test("says once that nobody reads any longer, and drops what comes after", async () => {
  const { writer, written, gate, broken } = openOutput();
  writer.write("1");
  gate.reject(new Error("EPIPE"));
  await writer.whenWritten();
  writer.write("2");
  await writer.whenRoom();
  await writer.whenWritten();
  expect([broken(), written]).toEqual([1, []]);
});
