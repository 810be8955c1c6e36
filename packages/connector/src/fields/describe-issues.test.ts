import { expect, test } from "bun:test";
import { describeIssues } from "./describe-issues.ts";

test("Each issue becomes a sentence that names its value", () => {
  const issues = [
    { path: "numbr", message: 'is not known here. Did you mean "number"?' },
    { path: "title", message: "is required" },
    { path: "", message: "Send an object" },
    { path: "limit", message: "Too big: expected number to be <=3" },
  ];
  expect(describeIssues(issues)).toBe(
    'numbr is not known here. Did you mean "number"? title is required. Send an object. limit: Too big: expected number to be <=3.',
  );
});
