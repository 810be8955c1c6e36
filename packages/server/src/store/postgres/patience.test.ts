import { expect, test } from "bun:test";
import { createPatience } from "./patience.ts";

const never = new Promise<string>(() => {});
const isUnavailable = expect.objectContaining({ code: "unavailable" });

test("An answer that does not come is unavailable, and later ones are awaited again", async () => {
  const patience = createPatience({ answerMsMax: 1 });
  let silences = 0;
  const failed = patience.wait(never, () => (silences += 1)).catch((err) => err);
  expect(await failed).toEqual(isUnavailable);
  expect([silences, patience.isLost()]).toEqual([1, false]);
  expect(await patience.wait(Promise.resolve("late"))).toBe("late");
});

test("When the process ends, one missing answer ends all waits, also later ones", async () => {
  const patience = createPatience({ answerMsMax: 1_000_000, lastMsMax: 1 });
  const waiting = [1, 2].map(() => patience.wait(never).catch((err) => err));
  patience.limit();
  expect(await Promise.all(waiting)).toEqual([isUnavailable, isUnavailable]);
  expect(patience.isLost()).toBeTrue();
  expect(await patience.wait(never).catch((err) => err)).toEqual(isUnavailable);
});

test("When the process ends, answers that come are used", async () => {
  const patience = createPatience();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = patience.wait(promise);
  patience.limit();
  resolve("yes");
  expect(await waiting).toBe("yes");
  expect([await patience.wait(Promise.resolve("again")), patience.isLost()]).toEqual([
    "again",
    false,
  ]);
});
