import { expect, test } from "bun:test";
import { createDueQueue } from "./due-queue.ts";

test("Items leave the queue in the order of their times, and none before its time", () => {
  const queue = createDueQueue<{ dueAt: number }>();
  // Without randomness: steps through all residues of a prime.
  const times = Array.from({ length: 500 }, (_, index) => (index * 211) % 503);
  queue.fill(times.slice(0, 250).map((dueAt) => ({ dueAt })));
  for (const dueAt of times.slice(250)) queue.add({ dueAt });
  const sorted = times.toSorted((one, other) => one - other);
  const taken: number[] = [];
  expect(queue.nextDueAt()).toBe(sorted[0] ?? null);
  for (const until of [99, 1000]) {
    for (let item = queue.takeDue(until); item !== null; item = queue.takeDue(until)) {
      taken.push(item.dueAt);
    }
    expect(taken).toEqual(sorted.filter((dueAt) => dueAt <= until));
  }
  expect(queue.nextDueAt()).toBeNull();
  queue.add({ dueAt: 1 });
  queue.fill([]);
  expect(queue.takeDue(5)).toBeNull();
});
