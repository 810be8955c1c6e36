import { expect, test } from "bun:test";
import { InvalidInputError } from "../../invalid-input-error.ts";
import { toWireError } from "./wire-error.ts";

test("a refused input has a code that hosts of version 1 know, with a message that tells all", () => {
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
