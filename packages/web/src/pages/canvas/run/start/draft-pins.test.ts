import { expect, test } from "bun:test";
import { toPin } from "./draft-pins.ts";

test("A pin is the output of a step, with the case of an approval", () => {
  expect(toPin({ output: { id: 7 }, case: null })).toEqual({ value: { id: 7 } });
  expect(toPin({ output: "true", case: "true" })).toEqual({ value: "true" });
  expect(toPin({ output: { by: "ada" }, case: "denied" })).toEqual({
    value: { by: "ada", case: "denied" },
  });
});

test("An output of which only a part is shown is no pin", () => {
  expect(toPin({ output: { result: [1], _truncated: { bytes: 9 } }, case: null })).toBeNull();
});
