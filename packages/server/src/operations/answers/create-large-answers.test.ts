import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createLargeAnswers } from "./create-large-answers.ts";

const mebibyte = 1024 * 1024;

function openMemory() {
  const openWorker = () => {
    throw new Error("No worker is needed.");
  };
  const { answerMemory } = createLargeAnswers({ openWorker, timers: createManualTimers() });
  /** Whether another call of the user gets this much memory at once. */
  return (userId: string, bytes: number) => answerMemory.open(userId).take(bytes) === null;
}

test("The large answers of one user take at most 16 MiB at the same time", () => {
  const take = openMemory();
  // The oldest call of all and the oldest call of a user may exceed the user's share.
  expect([take("root", 0), take("ada", 0)]).toEqual([true, true]);
  expect([take("ada", 16 * mebibyte), take("ada", 1)]).toEqual([true, false]);
});

test("The large answers of all users take at most 64 MiB at the same time", () => {
  const take = openMemory();
  expect(take("root", 0)).toBeTrue();
  const users = ["ada", "ben", "eve", "kim"];
  expect(users.map((user) => take(user, 16 * mebibyte))).toEqual([true, true, true, true]);
  expect([take("zoe", 1), take("zoe", 0)]).toEqual([false, true]);
});
