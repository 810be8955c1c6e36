import { expect, test } from "bun:test";
import { createBriefMemory } from "./brief-memory.ts";

test("A value is found until its time is over, and a later one takes its place", () => {
  let at = 1_000;
  const memory = createBriefMemory<string>({ now: () => at }, 10);
  memory.put("a", "first");
  at += 9;
  expect([memory.find("a"), memory.find("b")]).toEqual(["first", null]);
  memory.put("a", "second");
  at += 9;
  expect(memory.find("a")).toBe("second");
  at += 1;
  expect(memory.find("a")).toBeNull();
});

test("Keys that are used once are not kept", () => {
  let at = 1_000;
  const memory = createBriefMemory<string>({ now: () => at }, 10);
  for (let i = 0; i < 100; i += 1) {
    memory.put(`key ${i}`, "x");
    at += 1;
  }
  expect(memory.count()).toBe(10);
});
