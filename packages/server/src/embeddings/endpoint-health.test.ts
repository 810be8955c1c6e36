import { expect, test } from "bun:test";
import { EmbeddingsError } from "./embeddings-endpoint.ts";
import { createEndpointHealth } from "./endpoint-health.ts";

function open() {
  const clock = { time: 1_000_000 };
  const lines: string[] = [];
  const write = (_: object, message: string) => lines.push(message);
  const health = createEndpointHealth({
    now: () => clock.time,
    log: { warn: write, info: write },
  });
  const fail = (retryAfterMs: number | null = null) =>
    health.recordFailure(new EmbeddingsError("failed", "Down.", { retryAfterMs }));
  return { health, clock, lines, fail };
}

test("After each failure the wait doubles, up to five minutes, and a success ends it", () => {
  const { health, clock, fail } = open();
  const waits = Array.from({ length: 11 }, () => {
    fail();
    const wait = health.waitMs();
    clock.time += wait;
    return wait / 1_000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  health.recordSuccess();
  expect(health.waitMs()).toBe(0);
});

test("The wait is as long as the endpoint asks for", () => {
  const { health, fail } = open();
  fail(60_000);
  expect(health.waitMs()).toBe(60_000);
});

test("Failures of requests from before the wait count once", () => {
  const { health, fail } = open();
  for (let request = 0; request < 10; request += 1) fail();
  expect(health.waitMs()).toBe(1_000);
});

test("The log has one line for a failure and one for its end, however often it fails", () => {
  const { health, clock, lines, fail } = open();
  for (let request = 0; request < 10; request += 1) {
    fail();
    clock.time += health.waitMs();
  }
  health.recordSuccess();
  health.recordSuccess();
  expect(lines).toHaveLength(2);
  expect(health.lastFailure()?.message).toBe("Down.");
});
