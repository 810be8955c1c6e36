import { expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { createReadiness } from "./readiness.ts";

function openReadiness() {
  const state = { reads: 0, isStopping: false, nowMs: 1000, answer: async () => 1 };
  const readiness = createReadiness({
    reads: {
      readRevision() {
        state.reads += 1;
        return state.answer();
      },
    },
    isStopping: () => state.isStopping,
    now: () => state.nowMs,
    timeoutMs: 1,
  });
  return { state, readiness };
}

test("A server is ready while its database answers", async () => {
  const { state, readiness } = openReadiness();
  expect(await readiness.find()).toBe(null);
  state.nowMs += 1000;
  state.answer = () => Promise.reject(new HubError("unavailable", "away"));
  expect(await readiness.find()).toBe("database unavailable");
});

test("A server with a damaged database goes on, and says so", () => {
  const deps = { reads: { readRevision: async () => 1 }, isStopping: () => false, now: () => 0 };
  const readiness = (faults: string[] | null) =>
    createReadiness({
      ...deps,
      integrity: { read: () => faults && { checkedAt: 0, faults } },
    });
  expect(readiness(null).isDamaged()).toBeFalse();
  expect(readiness([]).isDamaged()).toBeFalse();
  expect(readiness(["row 1 missing from index"]).isDamaged()).toBeTrue();
});

test("A silent database makes the server not ready", async () => {
  const { state, readiness } = openReadiness();
  state.answer = () => new Promise(() => {});
  expect(await readiness.find()).toBe("database unavailable");
});

test("A stopping server is not ready", async () => {
  const { state, readiness } = openReadiness();
  state.isStopping = true;
  expect(await readiness.find()).toBe("stopping");
});

test("A stranger's many probes read the database once a second", async () => {
  const { state, readiness } = openReadiness();
  await Promise.all(Array.from({ length: 100 }, () => readiness.find()));
  expect(state.reads).toBe(1);
  state.nowMs += 1000;
  await readiness.find();
  expect(state.reads).toBe(2);
});
