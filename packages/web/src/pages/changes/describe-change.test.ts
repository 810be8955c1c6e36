import { expect, test } from "bun:test";
import { describeAction, listActions, toDetailLines } from "./describe-change.ts";

test("A change is told with what was before and after", () => {
  const detail = {
    tags: { from: ["red"], to: [] },
    fields: ["url", "token"],
    role: "admin",
    none: [],
  };
  expect(toDetailLines(detail)).toEqual([
    { name: "tags", before: "red", after: "nothing" },
    { name: "fields", before: null, after: "url, token", listed: ["url", "token"] },
    { name: "role", before: null, after: "admin" },
  ]);
});

test("An action that the page does not know keeps its name", () => {
  expect(describeAction("user.update")).toBe("changed the user");
  expect(describeAction("row.fly")).toBe("row.fly");
});

test("The actions of a kind are also those on its parts", () => {
  expect(listActions("row")).toEqual(
    expect.arrayContaining(["row.update", "rule.set", "account.connect", "operation.enable"]),
  );
  expect(listActions("call")).toContain("permit.end");
  expect(listActions("call")).not.toContain("rule.set");
  expect(describeAction("account.remove")).toBe("removed an own account in");
});
