import { expect, test } from "bun:test";
import { chooseOpen } from "./choose-open.ts";

test("A small value is open, and a long list in it is not", () => {
  const list = Array.from({ length: 21 }, (_, at) => at);
  const inner = { a: 1 };
  expect([...chooseOpen({ inner, list })]).toEqual([{ inner, list }, inner]);
  expect(chooseOpen(list).has(list)).toBe(true);
  expect(chooseOpen("text").size).toBe(0);
});

test("However a value branches, and however deep it is, only some hundred lines are open", () => {
  const grow = (levels: number): unknown =>
    levels === 0 ? 1 : Array.from({ length: 20 }, () => grow(levels - 1));
  expect(chooseOpen(grow(4)).size).toBeLessThan(20);
  let deep: unknown = 1;
  for (let at = 0; at < 10_000; at += 1) deep = [deep];
  expect(chooseOpen(deep).size).toBe(12);
});
