import { expect, test } from "bun:test";
import { createQueue } from "./create-queue.ts";

test("Work begins in its order, so many at once, and the next as one ends", async () => {
  const begun: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const queue = createQueue(2);
  for (const [at, { promise }] of ends.entries()) {
    queue.add(() => {
      begun.push(at);
      return promise;
    });
  }
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await Bun.sleep(0);
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.resolve();
  ends[2]?.resolve();
  await Bun.sleep(0);
  expect(begun).toEqual([0, 1, 2, 3]);
});
