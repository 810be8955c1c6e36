import { expect, test } from "bun:test";
import { toDurationText } from "./duration-text.ts";

test.each([
  [0, "0 ms"],
  [0.4, "0 ms"],
  [20, "20 ms"],
  [499.6, "500 ms"],
  [999.4, "999 ms"],
  [999.5, "1 s"],
  [1000, "1 s"],
  [1049, "1 s"],
  [1500, "1.5 s"],
  [60_000, "60 s"],
  [180_000, "180 s"],
  [90_460, "90.5 s"],
])("%p milliseconds are %s, and never zero seconds", (ms, text) => {
  expect(toDurationText(ms)).toBe(text);
});
