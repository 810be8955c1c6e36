import { expect, test } from "bun:test";
import { toStem } from "./word-forms.ts";

test.each([
  "issue issues",
  "query queries",
  "key keys",
  "create creates created creating",
  "run runs running",
  "call calls called calling",
  "add adds added adding",
  "address addresses",
  "status statuses",
  "box boxes",
])("Forms of one word have one stem: %s", (forms) => {
  expect(new Set(forms.split(" ").map((form) => toStem(form))).size).toBe(1);
});

test.each([
  ["string", "stred"],
  ["thing", "th"],
  ["user", "use"],
  ["port", "post"],
])("Other words have different stems: %s and %s", (first, second) => {
  expect(toStem(first)).not.toBe(toStem(second));
});
