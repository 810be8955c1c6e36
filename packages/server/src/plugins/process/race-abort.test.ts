import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { raceAbort } from "./race-abort.ts";

const never = new Promise<never>(() => {});

test("A promise that settles first gives the result and leaves no listener", async () => {
  const { signal } = new AbortController();
  expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
  await expect(raceAbort(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("An abort rejects before the promise settles", async () => {
  const abort = new AbortController();
  const raced = raceAbort(never, abort.signal);
  abort.abort(new Error("stopped"));
  await expect(raced).rejects.toThrow("stopped");
  await expect(raceAbort(never, abort.signal)).rejects.toThrow("stopped");
});
