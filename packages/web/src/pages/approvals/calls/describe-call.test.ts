import { expect, test } from "bun:test";
import { splitDescription } from "./describe-call.ts";

test("A short first line of a description is for the head, and is not said again below it", () => {
  expect(splitDescription("Creates an issue.\n\nNeeds a project.\nAnd a title.")).toEqual({
    first: "Creates an issue.",
    rest: "Needs a project.\nAnd a title.",
  });
  expect(splitDescription("Creates an issue.")).toEqual({ first: "Creates an issue.", rest: "" });
  expect(splitDescription("")).toEqual({ first: null, rest: "" });
});

test("A description whose first line may be cut in the head is whole below it", () => {
  const long = `${"Creates an issue. ".repeat(4)}\nNeeds a project.`;
  expect(splitDescription(long)).toEqual({ first: null, rest: long });
});
