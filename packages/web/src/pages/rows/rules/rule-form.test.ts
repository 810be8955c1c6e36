import { expect, test } from "bun:test";
import type { CallRule } from "@hub/contract/call-rule.ts";
import { toRuleForm, toRuleInput } from "./rule-form.ts";

const stored: CallRule = {
  id: "r1",
  row_id: "00000000-0000-4000-8000-000000000001",
  row_label: "Issues",
  connector: "fixture",
  operation: null,
  name: "Before writes",
  asks: "destructive",
  free_per_hour: 3,
  except_users: [{ id: "u1", email: "ada@example.com" }],
  except_tags: ["ops"],
  decide: { by: "tags", tags: ["leads"] },
  confirm: "page",
  hour: { allowed: true, fixed: ["project"], destructive: false },
  runs_on_approval: true,
  sentence: "Writes are public.",
  revision: 2,
  changed_by: null,
  changed_at: "2026-11-28T10:00:00.000Z",
  warnings: [],
};

test("A stored rule that is saved without a change stays as it is", () => {
  const { except_users: users, ...rest } = stored;
  const input = toRuleInput(toRuleForm(stored), null, stored);
  expect(input).toEqual({
    operation: null,
    name: rest.name,
    asks: rest.asks,
    free_per_hour: 3,
    except_users: users.map(({ id }) => id),
    except_tags: ["ops"],
    decide: { by: "tags", tags: ["leads"] },
    confirm: "page",
    hour: { allowed: true, fixed: ["project"], destructive: false },
    runs_on_approval: true,
    sentence: rest.sentence,
  });
});

test("Members that have no effect are not sent, so that the hub does not refuse them", () => {
  const form = { ...toRuleForm(stored), confirm: "client" as const };
  expect(toRuleInput(form, null, stored)?.confirm).toBe("page");
  expect(toRuleInput({ ...form, decidedBy: "caller" }, null, stored)).toMatchObject({
    confirm: "client",
    decide: { by: "caller" },
  });
  expect(toRuleInput({ ...form, hour: false, hourDestructive: true }, null, stored)?.hour).toEqual({
    allowed: false,
    fixed: [],
    destructive: false,
  });
  expect(toRuleInput({ ...form, asks: "never" }, "get", null)).toEqual({
    operation: "get",
    asks: "never",
    sentence: "Writes are public.",
  });
  expect(toRuleInput(toRuleForm(null), "get", null)).toBeNull();
});
