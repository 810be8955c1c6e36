import { expect, test } from "bun:test";
import { cutNames } from "./cut-names.ts";

const toNames = (count: number) => Array.from({ length: count }, (_, at) => `get_${at}`);
const five = "get_0, get_1, get_2, get_3, get_4";

test("Of a long list of names the first ones are shown, and how many are left", () => {
  expect(cutNames(toNames(40))).toEqual({ shown: five, left: 35 });
  expect(cutNames(toNames(9))).toEqual({ shown: five, left: 4 });
});

test("A short list is shown whole, also if its names have commas", () => {
  expect(cutNames(toNames(8))).toBeNull();
  expect(cutNames(["a, b, c, d, e, f, g, h, i"])).toBeNull();
});
