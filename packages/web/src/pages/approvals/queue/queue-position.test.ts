import { expect, test } from "bun:test";
import { findFollowing, findPosition } from "./queue-position.ts";

const queue = ["a", "b", "c"];

test("An approval has the neighbours that wait before and after it", () => {
  expect(findPosition(queue, "b", 0)).toEqual({ at: 1, previous: "a", next: "c" });
  expect(findPosition(queue, "a", 2)).toEqual({ at: 0, previous: null, next: "b" });
  expect(findPosition(queue, "c", 0)).toEqual({ at: 2, previous: "b", next: null });
});

test("One that was decided keeps its place, which the next one takes", () => {
  expect(findPosition(["a", "c"], "b", 1)).toEqual({ at: null, previous: "a", next: "c" });
  expect(findPosition([], "b", 1)).toEqual({ at: null, previous: null, next: null });
});

test("After a decision the next one opens, then those that were left out, then none", () => {
  expect(findFollowing(queue, "a", 0)).toBe("b");
  expect(findFollowing(["a", "c"], "b", 1)).toBe("c");
  expect(findFollowing(queue, "c", 2)).toBe("a");
  expect(findFollowing(["a", "b"], "c", 2)).toBe("a");
  expect(findFollowing(["c"], "c", 0)).toBe(null);
  expect(findFollowing([], "c", 0)).toBe(null);
});
