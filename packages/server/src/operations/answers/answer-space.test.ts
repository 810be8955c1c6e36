import { describe, expect, test } from "bun:test";
import { createAnswerSpaces } from "./answer-space.ts";

const limits = { userBytesMax: 16, bytesMax: 64 };

/** Takes bytes; `isThere` once they may be held. */
function take(space: { take(bytes: number): Promise<void> | null }, bytes: number) {
  const asked = { isThere: false };
  const waiting = space.take(bytes);
  if (waiting === null) asked.isThere = true;
  else void waiting.then(() => (asked.isThere = true));
  return asked;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the memory for large answers", () => {
  test("is shared out by user: beyond the share, only the oldest call goes on", async () => {
    const spaces = createAnswerSpaces(limits);
    const [first, second, third] = [1, 2, 3].map(() => spaces.open("ada"));
    if (!first || !second || !third) throw new Error("There are three.");
    expect(take(first, 10).isThere).toBeTrue();
    expect(take(second, 6).isThere).toBeTrue();
    expect(take(first, 6).isThere).toBeTrue();
    const late = take(second, 1);
    const later = take(third, 1);
    expect([late, later].map(({ isThere }) => isThere)).toEqual([false, false]);
    first.release();
    await settle();
    expect([late, later].map(({ isThere }) => isThere)).toEqual([true, true]);
  });

  test("thirty answers of one user do not keep out another user", () => {
    const spaces = createAnswerSpaces(limits);
    for (let count = 0; count < 30; count += 1) void take(spaces.open("ada"), 15);
    expect(take(spaces.open("bob"), 15).isThere).toBeTrue();
  });

  test("holds at most the limit and one answer more, whatever is asked for", async () => {
    const spaces = createAnswerSpaces(limits);
    const asked = Array.from({ length: 40 }, (_, index) => {
      const space = spaces.open(`user ${index}`);
      return { space, steps: [1, 2, 3, 4].map(() => take(space, 4)) };
    });
    const count = () =>
      asked.flatMap(({ steps }) => steps.filter(({ isThere }) => isThere)).length * 4;
    expect(count()).toBeWithin(limits.bytesMax, limits.bytesMax + 16 + 1);
    let released = 0;
    // The oldest always has all of its own, so every call is completed in the end.
    for (const { space, steps } of asked) {
      expect(steps.every(({ isThere }) => isThere)).toBeTrue();
      space.release();
      released += 16;
      await settle();
      expect(count() - released).toBeLessThanOrEqual(limits.bytesMax + 16);
    }
  });

  test("a call that ends while it waits holds up nobody", async () => {
    const spaces = createAnswerSpaces({ userBytesMax: 4, bytesMax: 8 });
    const [first, second, third] = ["ada", "bob", "eve"].map((user) => spaces.open(user));
    if (!first || !second || !third) throw new Error("There are three.");
    void take(first, 8);
    const ended = take(second, 4);
    const waiting = take(third, 4);
    second.release();
    await settle();
    expect(ended.isThere).toBeTrue();
    expect(waiting.isThere).toBeFalse();
    first.release();
    await settle();
    expect(waiting.isThere).toBeTrue();
  });

  test("bytes that are there already are refused beyond twice a user's share", () => {
    const spaces = createAnswerSpaces(limits);
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => spaces.open("ada"));
    expect(first?.takeNow(16)).toBeTrue();
    expect(second?.takeNow(16)).toBeTrue();
    expect(third?.takeNow(1)).toBeFalse();
    second?.release();
    expect(fourth?.takeNow(16)).toBeTrue();
  });
});
