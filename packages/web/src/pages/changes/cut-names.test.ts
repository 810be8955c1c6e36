import { expect, test } from "bun:test";
import { cutNames } from "./cut-names.ts";

const toNames = (count: number) => Array.from({ length: count }, (_, at) => `get_${at}`).join(", ");

test("Of a long list of names the first ones are shown, and how many are left", () => {
  expect(cutNames(toNames(40))).toEqual({ shown: toNames(5), left: 35 });
  expect(cutNames(toNames(9))).toEqual({ shown: toNames(5), left: 4 });
});

test("A short list, and a text without names, is shown whole", () => {
  expect(cutNames(toNames(8))).toBeNull();
  expect(cutNames("a text without any comma that is quite long ".repeat(20))).toBeNull();
});
