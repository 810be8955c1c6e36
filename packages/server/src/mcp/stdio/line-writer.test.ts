import { expect, test } from "bun:test";
import { nextTurn } from "../testing/until.ts";
import { LineWriter } from "./line-writer.ts";

/** An output whose reader accepts nothing until the test releases it. */
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

test("Frames are written in order, one per line", async () => {
  const { writer, written, gate } = openOutput();
  gate.resolve();
  for (const frame of ["1", "2", "3"]) writer.write(frame);
  await writer.flush();
  expect(written.join("")).toBe("1\n2\n3\n");
});

test("A slow reader gets some of a call's progress frames and the latest one", async () => {
  const { writer, written, gate } = openOutput();
  writer.write("first");
  await nextTurn();
  const progress = writer.openProgress();
  for (let step = 1; step <= 100_000; step += 1) progress.put(`step ${step}`);
  writer.write("result");
  gate.resolve();
  await writer.flush();
  const steps = [...Array.from({ length: 15 }, (_, index) => index + 1), 100_000];
  expect(written.join("").split("\n")).toEqual([
    "first",
    ...steps.map((step) => `step ${step}`),
    "result",
    "",
  ]);
});

test("Progress continues after a pause, and cleared frames are not written", async () => {
  const { writer, written, gate } = openOutput();
  gate.resolve();
  const progress = writer.openProgress();
  progress.put("1");
  await writer.flush();
  progress.put("2");
  await writer.flush();
  progress.put("3");
  progress.put("4");
  progress.clear();
  await writer.flush();
  expect(written.join("")).toBe("1\n2\n");
});

test("There is no capacity while more than 4 MiB wait for the reader", async () => {
  const { writer, gate } = openOutput();
  writer.write("first");
  await nextTurn();
  for (let count = 0; count < 5; count += 1) writer.write("x".repeat(1024 * 1024));
  const capacity = writer.waitForCapacity();
  await nextTurn();
  expect(Bun.peek.status(capacity)).toBe("pending");
  gate.resolve();
  await capacity;
});

test("A broken output is reported once, and later frames are dropped", async () => {
  const { writer, written, gate, broken } = openOutput();
  writer.write("1");
  gate.reject(new Error("EPIPE"));
  await writer.flush();
  writer.write("2");
  await writer.waitForCapacity();
  await writer.flush();
  expect([broken(), written]).toEqual([1, []]);
});
