import { expect, test } from "bun:test";
import { findAccessChange, toChoices } from "./access-change.ts";

const ada = { id: "1", email: "ada@example.com", name: "Ada" };
const before = { people: [ada], tags: ["team", "all"] };

test("What was read and not changed is no change", () => {
  expect(toChoices(before).map(({ name }) => name)).toEqual([
    "Ada (ada@example.com)",
    "team",
    "all",
  ]);
  expect(findAccessChange(before, toChoices(before).toReversed())).toBeNull();
});

test("People who come and go, and all tags, are the change", () => {
  const chosen = [
    { kind: "person" as const, id: "2", name: "Bob" },
    { kind: "tag" as const, name: "team" },
  ];
  expect(findAccessChange(before, chosen)).toEqual({ tags: ["team"], give: ["2"], take: ["1"] });
});
