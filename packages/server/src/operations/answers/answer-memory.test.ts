import { describe, expect, test } from "bun:test";
import { createAnswerMemory } from "./answer-memory.ts";

const limits = { userBytesMax: 16, bytesMax: 64 };

/** Takes bytes. `isGranted` becomes true once they are granted. */
function take(reservation: { take(bytes: number): Promise<void> | null }, bytes: number) {
  const asked = { isGranted: false };
  const waiting = reservation.take(bytes);
  if (waiting === null) asked.isGranted = true;
  else void waiting.then(() => (asked.isGranted = true));
  return asked;
}

const flush = () => new Promise((resolve) => setImmediate(resolve));

describe("the memory for large answers", () => {
  test("Beyond a user's share, only the oldest call gets memory", async () => {
    const memory = createAnswerMemory(limits);
    const [first, second, third] = [1, 2, 3].map(() => memory.open("ada"));
    if (!first || !second || !third) throw new Error("There are three.");
    expect(take(first, 10).isGranted).toBeTrue();
    expect(take(second, 6).isGranted).toBeTrue();
    expect(take(first, 6).isGranted).toBeTrue();
    const late = take(second, 1);
    const later = take(third, 1);
    expect([late, later].map(({ isGranted }) => isGranted)).toEqual([false, false]);
    first.release();
    await flush();
    expect([late, later].map(({ isGranted }) => isGranted)).toEqual([true, true]);
  });

  test("Thirty answers of one user do not block another user", () => {
    const memory = createAnswerMemory(limits);
    for (let count = 0; count < 30; count += 1) void take(memory.open("ada"), 15);
    expect(take(memory.open("bob"), 15).isGranted).toBeTrue();
  });

  test("The granted memory never exceeds the limit plus one answer", async () => {
    const memory = createAnswerMemory(limits);
    const asked = Array.from({ length: 40 }, (_, index) => {
      const reservation = memory.open(`user ${index}`);
      return { reservation, steps: [1, 2, 3, 4].map(() => take(reservation, 4)) };
    });
    const count = () =>
      asked.flatMap(({ steps }) => steps.filter(({ isGranted }) => isGranted)).length * 4;
    expect(count()).toBeWithin(limits.bytesMax, limits.bytesMax + 16 + 1);
    let released = 0;
    // The oldest call always gets all its memory, so every call completes.
    for (const { reservation, steps } of asked) {
      expect(steps.every(({ isGranted }) => isGranted)).toBeTrue();
      reservation.release();
      released += 16;
      await flush();
      expect(count() - released).toBeLessThanOrEqual(limits.bytesMax + 16);
    }
  });

  test("Whatever calls ask and whenever they end, each of them gets its memory in the end", async () => {
    let state = 7;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const memory = createAnswerMemory(limits);
    const calls = Array.from({ length: 200 }, (_, n) => {
      const reservation = memory.open(`user ${n % 7}`);
      return { reservation, asked: { isGranted: true }, steps: 1 + random(5), bytes: 0 };
    });
    const open = new Set(calls);
    while (open.size > 0) {
      const ready = [...open].filter(({ asked }) => asked.isGranted);
      // The oldest one at least.
      expect(ready).not.toBeEmpty();
      const call = ready[random(ready.length)];
      if (call === undefined) throw new Error("One is ready.");
      if (call.steps === 0) {
        call.reservation.release();
        open.delete(call);
      } else {
        const bytes = 1 + random(4);
        call.steps -= 1;
        call.bytes += bytes;
        call.asked = take(call.reservation, bytes);
      }
      await flush();
    }
    // Nothing is held any more.
    expect(take(memory.open("someone"), 64).isGranted).toBeTrue();
    expect(take(memory.open("someone else"), 1).isGranted).toBeFalse();
  });

  test("A call that ends while it waits does not block other calls", async () => {
    const memory = createAnswerMemory({ userBytesMax: 4, bytesMax: 8 });
    const [first, second, third] = ["ada", "bob", "eve"].map((user) => memory.open(user));
    if (!first || !second || !third) throw new Error("There are three.");
    void take(first, 8);
    const ended = take(second, 4);
    const waiting = take(third, 4);
    second.release();
    await flush();
    expect(ended.isGranted).toBeTrue();
    expect(waiting.isGranted).toBeFalse();
    first.release();
    await flush();
    expect(waiting.isGranted).toBeTrue();
    // The ended call has no memory, so the rest is free.
    expect(take(memory.open("dan"), 4).isGranted).toBeTrue();
  });

  test("Bytes that have already arrived are refused beyond twice a user's share", () => {
    const memory = createAnswerMemory(limits);
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => memory.open("ada"));
    expect(first?.takeArrived(16)).toBeTrue();
    expect(second?.takeArrived(16)).toBeTrue();
    expect(third?.takeArrived(1)).toBeFalse();
    second?.release();
    expect(fourth?.takeArrived(16)).toBeTrue();
  });
});
