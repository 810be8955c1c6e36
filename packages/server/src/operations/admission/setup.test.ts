import { expect, test } from "bun:test";
import type { CallPath } from "./call.ts";
import { isUncheckedClick } from "./setup.ts";

const isUnchecked = (path: CallPath, protoVersion: number, hasWidget = true) =>
  isUncheckedClick({ path, hasWidget, connector: { protoVersion } as never });

test("Only an admin's click in a widget of a plugin of version 1 is unchecked", () => {
  expect(isUnchecked("manager", 1)).toBe(true);
  // Protects: `tests: tag` lets other users click, and their input must not pass the checks.
  expect(isUnchecked("widget", 1)).toBe(false);
  expect(isUnchecked("manager", 2)).toBe(false);
  expect(isUnchecked("manager", 1, false)).toBe(false);
});
