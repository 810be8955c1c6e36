/**
 * Measures what judging a call by the rules costs: a call that no rule names, and one of a row with a rule for each of 50
 * operations, whose exceptions are as long as they may be. Usage: bun scripts/measure-rules.ts
 */
import { createRuleIndex } from "../packages/server/src/connectors/rows/rule-index.ts";
import { judgeCall } from "../packages/server/src/operations/rules/judge-call.ts";
import { newRule } from "../packages/server/src/store/rules/testing/new-rule.ts";

const rows = 100;
const operations = 50;
const calls = 200_000;

const texts = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => `${name}${i}`);
const condition = JSON.stringify({
  users: { not: { ids: texts(100, "user-"), tags: texts(20, "tag-") } },
});
const records = texts(rows, "row-").flatMap((rowId) =>
  texts(operations, "operation-").map((operationKey) =>
    newRule({ id: `${rowId}/${operationKey}`, rowId, operationKey, condition, freeCount: 3 }),
  ),
);

const began = performance.now();
const index = createRuleIndex(records);
const indexMs = performance.now() - began;

function measure(rowId: string, expected: string): number {
  const call = {
    caller: { userId: "caller", tags: new Set(texts(20, "own-")) },
    row: { id: rowId },
    connector: { key: "http", tier: "builtin" as const },
    operation: { key: "operation-49", destructive: true },
  };
  const now = () => 1;
  const judge = () => judgeCall(index, call, { now });
  if (judge().kind !== expected) throw new Error(`The call must be judged as ${expected}.`);
  const start = performance.now();
  for (let count = 0; count < calls; count += 1) judge();
  return ((performance.now() - start) * 1_000) / calls;
}

measure("other", "pass");
measure("row-50", "free");
console.log(`A call that no rule names: ${measure("other", "pass").toFixed(3)} µs`);
console.log(`A call with a rule: ${measure("row-50", "free").toFixed(3)} µs`);
console.log(`The index of ${records.length} rules: ${indexMs.toFixed(0)} ms, once per revision`);
