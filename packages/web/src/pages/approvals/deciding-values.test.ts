import { expect, test } from "bun:test";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { ExactNumber } from "../../api/exact-json.ts";
import { readDecidingValues } from "./deciding-values.ts";

const toNode = (given: Partial<WorkflowWillRun>) => [
  { is_rendered: true, items: null, fields: {}, ...given } as WorkflowWillRun,
];
const toPairs = (of: Parameters<typeof readDecidingValues>[0]) =>
  readDecidingValues(of).map(({ label, value }) => `${label}=${value}`);

test("The values of the author come before what can be found in the params", () => {
  const values = [{ label: "Amount", value: "120 EUR", is_cut: false }];
  expect(readDecidingValues({ values, will_run: toNode({ fields: { params: { a: 1 } } }) })).toBe(
    values,
  );
});

test("An older approval shows the first five values of the first node, with their paths", () => {
  const params = {
    amount: new ExactNumber("12345678901234567890"),
    note: "",
    nothing: null,
    customer: { name: "Ada\u202e", tags: ["vip"] },
    now: false,
    late: 7,
    more: "not shown",
  };
  expect(toPairs({ values: [], will_run: toNode({ fields: { params } }) })).toEqual([
    "amount=12345678901234567890",
    "customer.name=Ada\\u202e",
    "customer.tags.0=vip",
    "now=false",
    "late=7",
  ]);
  expect(
    toPairs({ values: [], will_run: toNode({ fields: { url: "https://a.example" } }) }),
  ).toEqual(["url=https://a.example"]);
  const items = { count: 2, shown: [{ params: { id: 1 } }] };
  expect(toPairs({ values: [], will_run: toNode({ items }) })).toEqual(["id=1"]);
});

test("Templates and missing nodes give no values, and long ones are cut", () => {
  expect(
    toPairs({ values: [], will_run: toNode({ is_rendered: false, fields: { a: "{{.Node.b}}" } }) }),
  ).toEqual([]);
  expect(toPairs({ values: [], will_run: [] })).toEqual([]);
  expect(toPairs({ values: [] })).toEqual([]);
  const [long] = readDecidingValues({
    values: [],
    will_run: toNode({ fields: { a: "x".repeat(5000) } }),
  });
  expect([long?.value.length, long?.is_cut]).toEqual([4096, true]);
});
