import { expect, test } from "bun:test";
import { createAnswerTimeout } from "./answer-timeout.ts";

const never = new Promise<string>(() => {});
const isUnavailable = expect.objectContaining({ code: "unavailable" });

test("An answer that does not come is unavailable, and later ones are awaited again", async () => {
  const answerTimeout = createAnswerTimeout({ answerMsMax: 1 });
  let silences = 0;
  const failed = answerTimeout.wait(never, () => (silences += 1)).catch((err) => err);
  expect(await failed).toEqual(isUnavailable);
  expect([silences, answerTimeout.isLost()]).toEqual([1, false]);
  expect(await answerTimeout.wait(Promise.resolve("late"))).toBe("late");
});

test("When the process ends, one missing answer ends all waits, also later ones", async () => {
  const answerTimeout = createAnswerTimeout({ answerMsMax: 1_000_000, lastMsMax: 1 });
  const waiting = [1, 2].map(() => answerTimeout.wait(never).catch((err) => err));
  answerTimeout.shorten();
  expect(await Promise.all(waiting)).toEqual([isUnavailable, isUnavailable]);
  expect(answerTimeout.isLost()).toBeTrue();
  expect(await answerTimeout.wait(never).catch((err) => err)).toEqual(isUnavailable);
});

test("When the process ends, answers that come are used", async () => {
  const answerTimeout = createAnswerTimeout();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = answerTimeout.wait(promise);
  answerTimeout.shorten();
  resolve("yes");
  expect(await waiting).toBe("yes");
  expect([await answerTimeout.wait(Promise.resolve("again")), answerTimeout.isLost()]).toEqual([
    "again",
    false,
  ]);
});
