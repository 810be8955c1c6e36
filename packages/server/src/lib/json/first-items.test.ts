import { expect, test } from "bun:test";
import { z } from "zod";
import { firstItems } from "./first-items.ts";

test("The first items are read, and the others are left out", () => {
  const list = firstItems(z.object({ id: z.int() }), 2);
  expect(list.parse([{ id: 1, more: true }, { id: 2 }, "invalid"])).toEqual([{ id: 1 }, { id: 2 }]);
  expect(list.optional().parse(undefined)).toBeUndefined();
  expect(list.safeParse({}).success).toBe(false);
});

test("The check ends at the first invalid item and names its place", () => {
  let reads = 0;
  const item = z.object({ id: z.int() }).refine(() => true);
  const counted = z.preprocess((value) => {
    reads += 1;
    return value;
  }, item);
  const { error } = firstItems(counted, 1_000_000).safeParse([{ id: 1 }, ...Array(9_999).fill({})]);
  expect(error?.issues.map(({ path }) => path)).toEqual([[1, "id"]]);
  expect(reads).toBe(2);
});
