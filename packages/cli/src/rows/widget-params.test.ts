import { expect, test } from "bun:test";
import { parseFields, wick } from "@hub/connector";
import { readTestInputs, readTestParams } from "./widget-params.ts";

const fields = parseFields("upkeep", {
  Arg: wick.int(),
  InputDays: wick.int(),
  InputDryRun: wick.bool(),
  Word: wick(),
});

test("A widget element such as input.days fills the param input_days", () => {
  const given = { "input.days": "7", "input.dry_run": "on", "input.dry-run": "on", arg: "3" };
  expect(readTestParams(fields, given)).toEqual({ input_days: "7", input_dry_run: true, arg: "3" });
});

test("The value on is true for boolean fields and text for all others", () => {
  expect(readTestParams(fields, { input_dry_run: "on", word: "on" })).toEqual({
    input_dry_run: true,
    word: "on",
  });
  expect(readTestParams(fields, { input_dry_run: "false" })).toEqual({ input_dry_run: "false" });
});

test("Unknown param names are kept as written, so that the error names them", () => {
  expect(readTestParams(fields, { "a.b": "3", nothing: "2" })).toEqual({
    "a.b": "3",
    nothing: "2",
  });
});

test("A widget element without a matching field is not a param, but is among the inputs", () => {
  const given = { "input.town": "Graz", "input.days": "7", arg: "3" };
  expect(readTestParams(fields, given)).toEqual({ input_days: "7", arg: "3" });
  expect(readTestInputs(given)).toEqual({ town: "Graz", days: "7" });
  expect(readTestInputs({ arg: "3" })).toBeNull();
});
