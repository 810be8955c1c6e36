/** Protects: approvers see all of what they approve, or that it is cut. */
import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { scriptSourceBytesMax } from "../../sandbox/script-limits.ts";
import { showNode } from "./show-node.ts";

// The fields that are shown are given beside it.
const node = { id: "script", type: "operation", tool_id: "conn:1/run_script" } as WorkflowNode;

const noSeal = { seal: async (value: Json) => value };

async function show(source: string) {
  const fields = { params: { source } };
  const rest = { operation: null, dependsOn: [], usesTime: false, items: null, problem: null };
  const given = { node, fields, isRendered: true, ...rest };
  return await showNode(noSeal, given, 256 * 1024);
}

test("An approver reads the longest script whole, with its lines", async () => {
  const line = "await call(input);\n";
  const source = line.repeat(Math.floor(scriptSourceBytesMax / line.length));
  expect(await show(source)).toMatchObject({ fields: { params: { source } }, is_cut: false });
  expect((await show(source.repeat(2))).is_cut).toBe(true);
});

test("The names of a row and its operation are one line each, with escapes and without secrets", async () => {
  const rest = { fields: {}, isRendered: true, dependsOn: [], usesTime: false, items: null };
  const hostile = "a\u202Eb\n<!channel> key-of-the-row";
  const operation = {
    rowLabel: hostile,
    connectorKey: "shop",
    connectorName: hostile,
    name: hostile,
    description: hostile.repeat(1_000),
    destructive: true,
  };
  const seal = async (value: Json) =>
    JSON.parse(JSON.stringify(value).replaceAll("key-of-the-row", "[x]"));
  const given = { node, operation, problem: null, ...rest };
  const { operation_description: about, ...shown } = await showNode({ seal }, given, 1_000);
  const line = "a\\u202eb <!channel> [x]";
  expect(shown).toMatchObject({
    row_label: line,
    connector_key: "shop",
    connector_name: line,
    operation_name: line,
    destructive: true,
  });
  expect(about?.startsWith(line)).toBe(true);
  expect(Buffer.byteLength(about ?? "")).toBeLessThanOrEqual(1_024);
});

test("An operation that the owner does not see counts as destructive, and has no names", async () => {
  const rest = { fields: {}, isRendered: true, dependsOn: [], usesTime: false, items: null };
  const shown = await showNode(noSeal, { node, operation: null, problem: "No.", ...rest }, 1_000);
  expect(shown).toMatchObject({ row_label: null, operation_name: null, destructive: true });
});
