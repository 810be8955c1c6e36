import { expect, test } from "bun:test";
import { findOutcome, healthKey } from "./run-outcomes.ts";

const failed = {
  operation_key: healthKey,
  status: "error",
  error_code: "upstream_error",
  http_status: null,
  unreached: 1,
  health: null,
} as const;

test.each([
  [401, "refused"],
  [403, "refused"],
  [404, "failed"],
  [500, "failed"],
  [503, "failed"],
  // An earlier request was answered, and the next one was not.
  [200, "unreachable"],
  [null, "unreachable"],
] as const)("A failed health check whose last answer was %p says that its row is %s", (status, outcome) => {
  expect(findOutcome({ ...failed, http_status: status })).toBe(outcome);
  const old = { ...failed, status: "success", error_code: null, health: '{"ok":false}' } as const;
  expect(findOutcome({ ...old, http_status: status })).toBe(outcome);
});

test("A plugin that does not run makes its row unreachable, whatever was answered before", () => {
  const run = { ...failed, error_code: "plugin_unavailable", http_status: 500 } as const;
  expect(findOutcome(run)).toBe("unreachable");
});
