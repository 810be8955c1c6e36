import { expect, test } from "bun:test";
import { parseFields, wick } from "@hub/connector";
import { readTestInputs, readTestParams } from "./test-params.ts";

const fields = parseFields("upkeep", {
  Arg: wick.int(),
  InputDays: wick.int(),
  InputDryRun: wick.bool(),
  Word: wick(),
});

test("an element of a widget is the input that a click in it fills", () => {
  const given = { "input.days": "7", "input.dry_run": "on", "input.dry-run": "on", arg: "3" };
  expect(readTestParams(fields, given)).toEqual({ input_days: "7", input_dry_run: true, arg: "3" });
});

test("on is true for a boolean, and a word for everything else", () => {
  expect(readTestParams(fields, { input_dry_run: "on", word: "on" })).toEqual({
    input_dry_run: true,
    word: "on",
  });
  expect(readTestParams(fields, { input_dry_run: "false" })).toEqual({ input_dry_run: "false" });
});

test("a name that no input has stays as it was written, to be refused by it", () => {
  expect(readTestParams(fields, { "a.b": "3", nothing: "2" })).toEqual({
    "a.b": "3",
    nothing: "2",
  });
});

test("an element that fills no input is no param, but is there by its own name with the others", () => {
  const given = { "input.town": "Graz", "input.days": "7", arg: "3" };
  expect(readTestParams(fields, given)).toEqual({ input_days: "7", arg: "3" });
  expect(readTestInputs(given)).toEqual({ town: "Graz", days: "7" });
  expect(readTestInputs({ arg: "3" })).toBeNull();
});
