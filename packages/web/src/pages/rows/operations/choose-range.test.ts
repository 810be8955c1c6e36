import { expect, test } from "bun:test";
import { chooseRange } from "./choose-range.ts";

const lines = ["a", "b", "c", "d"].map((key) => ({ key, isOpen: key !== "c" }));

test("A line is chosen and taken back", () => {
  const chosen = chooseRange(lines, new Set(), { from: null, to: 1 });
  expect([...chosen]).toEqual(["b"]);
  expect([...chooseRange(lines, chosen, { from: null, to: 1 })]).toEqual([]);
});

test("A range becomes as its end becomes, in both directions, without lines that cannot be chosen", () => {
  expect([...chooseRange(lines, new Set(["a"]), { from: 0, to: 3 })]).toEqual(["a", "b", "d"]);
  expect([...chooseRange(lines, new Set(["a", "b", "d"]), { from: 3, to: 1 })]).toEqual(["a"]);
  expect([...chooseRange(lines, new Set(["a"]), { from: 0, to: 9 })]).toEqual(["a"]);
});
