/** Protects: approvers see all of what they approve, or that it is cut. */
import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { scriptSourceBytesMax } from "../../sandbox/script-limits.ts";
import { showNode } from "./show-node.ts";

// The fields that are shown are given beside it.
const node = { id: "script", type: "operation", tool_id: "conn:1/run_script" } as WorkflowNode;

const noNames = { operation: null, workflowName: null };
const noSeal = { seal: async (value: Json) => value };

async function show(source: string) {
  const fields = { params: { source } };
  const rest = { ...noNames, dependsOn: [], usesTime: false, items: null, problem: null };
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
  const given = { ...noNames, node, operation, problem: null, ...rest };
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
  const shown = await showNode(noSeal, { ...noNames, node, problem: "No.", ...rest }, 1_000);
  expect(shown).toMatchObject({ row_label: null, operation_name: null, destructive: true });
});

test("A request has its host and a node that runs a workflow its name, without secrets", async () => {
  const rest = { dependsOn: [], usesTime: false, problem: null, operation: null };
  const seal = async (value: Json) =>
    JSON.parse(JSON.stringify(value).replaceAll("Secret-Key", "[secret]"));
  const http = { id: "post", type: "http", method: "POST" } as WorkflowNode;
  const request = { node: http, workflowName: null, isRendered: true, items: null, ...rest };
  const toHost = async (url: string, change: object = {}) =>
    (await showNode({ seal }, { ...request, fields: { url }, ...change }, 1_000)).target_name;
  expect(await toHost("https://api.example.com/{{x}}")).toBe("api.example.com");
  expect(await toHost("https://Secret-Key.example.com/")).toBe(null);
  // Longer than what is shown.
  expect(await toHost(`https://api.example.com/${"x".repeat(5_000)}`)).toBe("api.example.com");
  const items = { count: 1, shown: [{ url: "https://one.example.com/" }] };
  expect(await toHost("https://{{.Item}}.example.com/", { items })).toBe(null);
  const node = { id: "run", type: "workflow", workflow_id: "refunds-a1b2c3" } as WorkflowNode;
  const started = { ...request, node, fields: {}, workflowName: "Pay\nSecret-Key\u202e" };
  expect(await showNode({ seal }, started, 1_000)).toMatchObject({
    target: "refunds-a1b2c3",
    target_name: "Pay [secret]\\u202e",
    row_label: null,
  });
});
