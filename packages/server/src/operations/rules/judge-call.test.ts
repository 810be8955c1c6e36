import { expect, test } from "bun:test";
import { createRuleIndex } from "../../connectors/rows/rule-index.ts";
import type { CallRuleRecord } from "../../store/rules/call-rule.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { type JudgedCall, judgeCall } from "./judge-call.ts";

const hour = 3_600_000;
const at = 5 * hour + 1;
const now = () => at;

function toCall(given: {
  operation?: string;
  destructive?: boolean;
  tags?: string[];
  connector?: JudgedCall["connector"];
}): JudgedCall {
  const { operation = "write", destructive = true, tags = [] } = given;
  return {
    caller: { userId: "u1", tags: new Set(tags) },
    row: { id: "r1" },
    connector: given.connector ?? { key: "http", tier: "builtin" },
    operation: { key: operation, destructive },
  };
}

function judge(rules: Array<Partial<CallRuleRecord>>, call = toCall({}), isFreeUsedUp = false) {
  return judgeCall(createRuleIndex(rules.map(newRule)), call, { now, isFreeUsedUp });
}

const texts = (value: unknown) => JSON.stringify(value);

test("A call that no rule names passes", () => {
  expect(judge([])).toEqual({ kind: "pass" });
  expect(judge([{ rowId: "other" }])).toEqual({ kind: "pass" });
  expect(judge([{ operationKey: "other" }])).toEqual({ kind: "pass" });
});

test("The rule of an operation stands in the place of that of its row, also if it does not fit", () => {
  const whole = { id: "whole" };
  expect(judge([whole])).toMatchObject({ kind: "ask", rule: { id: "whole" } });
  const own = { id: "own", operationKey: "write" };
  expect(judge([whole, own])).toMatchObject({ kind: "ask", rule: { id: "own" } });
  expect(judge([whole, { ...own, outcome: "allow" as const }])).toEqual({ kind: "pass" });
  const spared = texts({ users: { not: { tags: ["ops"] } } });
  const call = toCall({ tags: ["ops"] });
  expect(judge([whole, { ...own, condition: spared }], call)).toEqual({ kind: "pass" });
});

test("Destructive operations, users and tags are told apart", () => {
  const destructive = { condition: texts({ destructive: true }) };
  expect(judge([destructive]).kind).toBe("ask");
  expect(judge([destructive], toCall({ destructive: false })).kind).toBe("pass");
  const users = { condition: texts({ users: { not: { ids: ["u1"], tags: [] } } }) };
  expect(judge([users]).kind).toBe("pass");
  const others = { condition: texts({ users: { not: { ids: ["u2"], tags: ["ops"] } } }) };
  expect(judge([others]).kind).toBe("ask");
  expect(judge([others], toCall({ tags: ["ops"] })).kind).toBe("pass");
});

test("Free calls are offered for the hour of the clock, and asked about when they are used up", () => {
  const rule = { freeCount: 3, revision: 7 };
  expect(judge([rule])).toMatchObject({
    kind: "free",
    use: { ruleId: "rule", revision: 7, userId: "u1", windowStart: 5 * hour, max: 3 },
  });
  expect(judge([rule], toCall({}), true).kind).toBe("ask");
});

test("A form in the client is never enough for destructive operations that lead outside, nor if others decide", () => {
  const client = { confirm: "client" as const };
  const confirm = (rule: Partial<CallRuleRecord>, call: JudgedCall) => {
    const judged = judge([rule], call);
    return judged.kind === "ask" ? judged.rule.confirm : judged.kind;
  };
  expect(confirm(client, toCall({ destructive: false }))).toBe("client");
  expect(confirm(client, toCall({}))).toBe("page");
  expect(confirm(client, toCall({ connector: { key: "hub", tier: "builtin" } }))).toBe("client");
  expect(confirm(client, toCall({ connector: { key: "hub", tier: "plugin" } }))).toBe("page");
  const others = { ...client, decide: texts({ by: "tags", tags: ["leads"] }) };
  expect(confirm(others, toCall({ destructive: false }))).toBe("page");
});

test("An hour is permitted for destructive operations only if the rule names them", () => {
  const allowed = (hourOf: object, destructive: boolean) => {
    const judged = judge([{ hour: texts(hourOf) }], toCall({ destructive }));
    return judged.kind === "ask" && judged.rule.hour.allowed;
  };
  expect(allowed({ allowed: true }, false)).toBe(true);
  expect(allowed({ allowed: true }, true)).toBe(false);
  expect(allowed({ allowed: true, destructive: true }, true)).toBe(true);
  expect(allowed({}, false)).toBe(false);
});

test("A rule of a newer version that this one does not understand refuses what it names", () => {
  for (const unknown of [
    { condition: texts({ ".Params.amount": { over: 100 } }) },
    { condition: "not json" },
    { decide: texts({ by: "committee" }) },
    { hour: texts({ allowed: true, until: 7 }) },
  ]) {
    expect(judge([unknown]).kind).toBe("refuse");
  }
  // Its exceptions are not trusted either.
  const spared = { condition: texts({ users: { not: { ids: ["u1"] } }, more: 1 }) };
  expect(judge([spared]).kind).toBe("refuse");
});
