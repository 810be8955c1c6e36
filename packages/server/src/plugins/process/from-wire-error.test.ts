import { describe, expect, test } from "bun:test";
import { InvalidInputError } from "@hub/connector";
import { wireErrorCodes } from "@hub/connector/plugin";
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

  test("Issues of another error are not about inputs", () => {
    const issues = [{ path: "id", message: "is no number" }];
    const thrown = fromWireError({ ...error, code: wireErrorCodes.internal, issues });
    expect(thrown).toMatchObject({ name: "TypeError", message: "id is no number" });
  });
});
