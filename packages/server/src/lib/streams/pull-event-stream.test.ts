import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { pullEventStream } from "./pull-event-stream.ts";

async function* count(): AsyncGenerator<string> {
  for (let number = 0; ; number += 1) yield String(number);
}

test("Events that are not read for a minute are broken off, and nothing of them is left", async () => {
  const timers = createManualTimers();
  let ends = 0;
  const stream = pullEventStream({ timers }, count(), () => {
    ends += 1;
  });
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  timers.advance(59_999);
  expect(ends).toBe(0);
  timers.advance(1);
  expect(ends).toBe(1);
  expect(timers.pending()).toBe(0);
  await expect(reader.read()).rejects.toThrow("did not read");
});

test("A reader who waits for the next event is not broken off", async () => {
  const timers = createManualTimers();
  let ends = 0;
  const { promise, resolve } = Promise.withResolvers<IteratorResult<string>>();
  const frames = { next: () => promise };
  const stream = pullEventStream({ timers }, frames, () => {
    ends += 1;
  });
  const reader = stream.getReader();
  await reader.read();
  const waiting = reader.read();
  timers.advance(10_000);
  expect(ends).toBe(0);
  resolve({ done: true, value: undefined });
  while (!(await waiting).done && !(await reader.read()).done);
  expect(ends).toBe(1);
});
