import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { checkInput, lineSchema, momentSchema, toBadRequest } from "./check-input.ts";

const schema = z.strictObject({
  label: lineSchema(5).optional(),
  expiresInDays: z.int({ error: "must be a whole number." }).optional(),
  inner: z.strictObject({ name: z.string(), kind: z.enum(["a", "b"]).default("a") }).optional(),
  at: momentSchema.optional(),
});

function findIssues(input: unknown): unknown {
  try {
    return checkInput(schema, input);
  } catch (thrown) {
    return [Object(thrown).code, ...Object(thrown).detail.issues];
  }
}

describe("the input of a service", () => {
  test("The schema trims lines and parses times to epoch ms", () => {
    const input = { label: "  five ", at: "2026-11-20T09:42:00+01:00" };
    expect(findIssues(input)).toEqual({ label: "five", at: Date.UTC(2026, 10, 20, 8, 42) });
  });

  test.each<[string, unknown, { path: string; message: string }]>([
    [
      "six characters",
      { label: "sixsix" },
      { path: "label", message: "must have at most 5 characters." },
    ],
    ["a missing text", { inner: {} }, { path: "inner.name", message: "is required." }],
    ["a wrong type", { inner: { name: 1 } }, { path: "inner.name", message: "must be a text." }],
    [
      "an unknown choice",
      { inner: { name: "x", kind: "c" } },
      { path: "inner.kind", message: "must be one of: a, b." },
    ],
    ["blanks alone", { label: "  " }, { path: "label", message: "must not be empty." }],
    [
      "a control character",
      { label: "a\nb" },
      { path: "label", message: "must be one line without control characters." },
    ],
    [
      "a name of two words",
      { expiresInDays: 1.5 },
      { path: "expires_in_days", message: "must be a whole number." },
    ],
    [
      "a name that resembles one",
      { labels: "x" },
      { path: "labels", message: 'is not known. Did you mean "label"?' },
    ],
    [
      "a time without a zone",
      { at: "2026-11-20T09:42:00" },
      { path: "at", message: "must be an RFC 3339 time, such as 2026-11-20T09:42:00Z." },
    ],
  ])("An input with %s is refused with the public name of the member", (_, input, issue) => {
    expect(findIssues(input)).toEqual(["bad_request", issue]);
  });

  test("An unknown nested member is named with its path", () => {
    const [code, issue] = Object(findIssues({ inner: { name: "x", label: 1 } }));
    expect([code, issue.path]).toEqual(["bad_request", "inner"]);
  });
});

test("An error with thousands of faults names the first ones and counts the others", () => {
  const input = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, at) => [`${"k".repeat(300)}${at}`, 1]),
  );
  const issues = Object.keys(input).map((path) => ({ path, message: "is not known." }));
  const error = toBadRequest(issues);
  expect(error.message.length).toBeLessThan(6_000);
  expect(error.message).toEndWith("29980 more faults are not named.");
  expect(error.detail.issues).toHaveLength(100);
  expect(error.detail.issues_left_out).toBe(29_900);
  expect(() => checkInput(z.strictObject({}), input)).toThrow(error.message);
});
