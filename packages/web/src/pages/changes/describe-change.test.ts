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

test("A change of a rule is told in sentences", () => {
  const from = {
    operation: null,
    name: "Ask before acting",
    asks: "destructive",
    free_per_hour: null,
    except_users: ["u1"],
    except_tags: [],
    decide: { by: "caller" },
    confirm: "client",
    hour: { allowed: false, fixed: [], destructive: false },
    runs_on_approval: false,
    sentence: "",
  };
  const to = {
    ...from,
    name: "Mails",
    asks: "always",
    except_users: [],
    decide: { by: "tags", tags: ["leads"] },
    confirm: "page",
    hour: { allowed: true, fixed: ["to"], destructive: true },
    runs_on_approval: true,
    sentence: "Mails are public.",
  };
  const before =
    "Asks the caller about destructive calls, except of u1. A form in the client is enough.";
  const after =
    'Asks users with the tag leads about every call. May be permitted for an hour, also for destructive operations, with the same to. An approved call runs by itself. Its name is "Mails". Why: Mails are public.';
  const rule = "7d0c2c6e-1111-4111-8111-111111111111";
  expect(toDetailLines({ rule, operation: "send", from, to })).toEqual([
    { name: "rule of send", before, after },
  ]);
  const name = "rule of all operations";
  expect(toDetailLines({ rule, operation: null, from: null, to })).toEqual([
    { name, before: null, after },
  ]);
  expect(toDetailLines({ rule, operation: null, from })).toEqual([
    { name, before, after: "nothing" },
  ]);
  // The record of a decision names its rule, too.
  expect(toDetailLines({ rule: "r1", rule_revision: 2 })).toHaveLength(2);
});
