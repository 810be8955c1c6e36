import { describe, expect, test } from "bun:test";
import { InvalidInputError } from "@hub/connector";
import { fromWireError } from "./from-wire-error.ts";

describe("bad_args of a plugin", () => {
  const error = { code: "bad_args", message: "id is no number" };

  test("bad_args with issues refuses the inputs that it names", () => {
    const thrown = fromWireError({ ...error, issues: [{ path: "id", message: "is no number" }] });
    expect(thrown).toBeInstanceOf(InvalidInputError);
    expect(thrown.message).toBe("id is no number.");
  });

  test("bad_args without issues is an ordinary error, as in version 1", () => {
    for (const each of [error, { ...error, issues: [] }]) {
      expect(fromWireError(each)).toMatchObject({ name: "Error", message: "id is no number" });
    }
  });
});
