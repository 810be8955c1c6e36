import { expect, test } from "bun:test";
import { listTagCounts } from "./list-tag-counts.ts";

test("The tags of operations are counted by what they do, the largest first", () => {
  const read = { tags: ["pets"], destructive: false };
  const write = { tags: ["pets", "orders", "orders"], destructive: true };
  expect(listTagCounts([read, write])).toEqual([
    { tag: "pets", reads: 1, writes: 1 },
    { tag: "orders", reads: 0, writes: 1 },
  ]);
});
