/** Protects: however many messages a server sends, few of them reach the client library. */
import { expect, test } from "bun:test";
import { createMessageGate } from "./message-gate.ts";
import { createOpenRequests } from "./open-requests.ts";

function open() {
  let time = 0;
  const requests = createOpenRequests();
  const gate = createMessageGate<number>({ now: () => time, requests });
  return {
    requests,
    gate,
    wait(ms: number) {
      time += ms;
    },
    /** How many of so many equal messages pass. */
    countAdmitted(count: number, message: object): number {
      return Array.from({ length: count }, (_, at) => gate.admit(message, at)).flat().length;
    },
  };
}

const toProgress = (progressToken: unknown, progress: number) => ({
  method: "notifications/progress",
  params: { progressToken, progress },
});

test("Of 60,000 reports of one call, 20 pass at once, and the last one passes before the answer", () => {
  const { requests, gate } = open();
  requests.add(7, "tools/call");
  const passed: number[] = [];
  for (let at = 1; at <= 60_000; at += 1) passed.push(...gate.admit(toProgress(7, at), at));
  expect(passed).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(gate.admit({ id: 7, result: {} }, 60_001)).toEqual([60_000, 60_001]);
});

test("Then ten reports a second pass", () => {
  const { requests, wait, gate } = open();
  requests.add(7, "tools/call");
  let passed = 0;
  for (let ms = 0; ms < 60_000; ms += 1) {
    passed += gate.admit(toProgress(7, ms), ms).length;
    wait(1);
  }
  expect(passed).toBeLessThanOrEqual(20 + 600);
  expect(passed).toBeGreaterThan(600);
});

test("Reports of unknown requests, and answers to none, do not pass", () => {
  const { requests, countAdmitted, gate } = open();
  requests.add(7, "tools/call");
  expect(countAdmitted(1000, toProgress("other", 1))).toBe(0);
  expect(countAdmitted(1000, { id: 8, result: {} })).toBe(0);
  expect(gate.admit({ id: 7, result: {} }, 1)).toEqual([1]);
  requests.remove(7);
  expect(countAdmitted(1000, { id: 7, result: {} })).toBe(0);
});

test.each([
  ["notifications/message", 0],
  ["notifications/resources/updated", 0],
  ["notifications/tools/list_changed", 10],
  ["notifications/cancelled", 10],
])("Of 1,000 notifications %s, %d pass at once", (method, passed) => {
  expect(open().countAdmitted(1000, { method })).toBe(passed);
});

test("Of 1,000 requests of the server ten pass at once, and none while eight answers wait to be sent", async () => {
  const { requests, countAdmitted, wait } = open();
  expect(countAdmitted(1000, { id: 1, method: "ping" })).toBe(10);
  wait(10_000);
  const sent = Promise.withResolvers<void>();
  for (let count = 0; count < 8; count += 1) requests.recordAnswer(sent.promise);
  expect(countAdmitted(1000, { id: 1, method: "ping" })).toBe(0);
  sent.reject(new Error("not sent"));
  await sent.promise.catch(() => {});
  expect(countAdmitted(1000, { id: 1, method: "ping" })).toBe(10);
});

test("What is not a message does not pass", () => {
  const { gate } = open();
  for (const message of [undefined, null, 1, "text", [{ id: 1, method: "ping" }]]) {
    expect(gate.admit(message, 1)).toEqual([]);
  }
});

test("Only the calls that wait for an answer are remembered", () => {
  const { requests, gate } = open();
  for (let id = 0; id < 1000; id += 1) {
    requests.add(id, "tools/call");
    for (let count = 0; count < 30; count += 1) gate.admit(toProgress(id, count), count);
    requests.remove(id);
  }
  requests.add("new", "tools/call");
  gate.admit(toProgress("new", 1), 1);
  expect(gate.takeHeld()).toEqual([]);
});
