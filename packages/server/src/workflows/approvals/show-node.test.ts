/** Protects: approvers see all of what they approve, or that it is cut. */
import { expect, test } from "bun:test";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { scriptSourceBytesMax } from "../../sandbox/script-limits.ts";
import { showNode } from "./show-node.ts";

// The fields that are shown are given beside it.
const node = { id: "script", type: "operation", tool_id: "conn:1/run_script" } as WorkflowNode;

async function show(source: string) {
  const fields = { params: { source } };
  const rest = { operation: null, dependsOn: [], usesTime: false, items: null, problem: null };
  const given = { node, fields, isRendered: true, ...rest };
  return await showNode({ seal: async (value) => value }, given, 256 * 1024);
}

test("An approver reads the longest script whole, with its lines", async () => {
  const line = "await call(input);\n";
  const source = line.repeat(Math.floor(scriptSourceBytesMax / line.length));
  expect(await show(source)).toMatchObject({ fields: { params: { source } }, is_cut: false });
  expect((await show(source.repeat(2))).is_cut).toBe(true);
});
