import { expect, test } from "bun:test";
import { InvalidInputError } from "../../invalid-input-error.ts";
import { toWireError } from "./wire-error.ts";

test("A refused input has a code that version-1 hosts know, with a complete message", () => {
  const error = new InvalidInputError([
    { path: "start", message: "must be before end" },
    { path: "", message: "Give one of the two" },
  ]);
  expect(toWireError(error)).toMatchObject({
    code: "bad_args",
    message: "start must be before end. Give one of the two.",
    issues: error.issues,
  });
});
