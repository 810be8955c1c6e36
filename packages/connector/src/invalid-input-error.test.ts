import { expect, test } from "bun:test";
import { InvalidInputError } from "./invalid-input-error.ts";

test("An issue of any type from plain JavaScript is converted to text", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  // As plain JavaScript could, which has no types.
  const issues = [{ path: 7, message: cyclic }] as never;
  expect(new InvalidInputError(issues).issues).toEqual([{ path: "7", message: "[object Object]" }]);
});
