import { type Issue, suggest } from "@hub/connector";
import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { toBadRequest } from "../../lib/input/check-input.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import { parsePlaceholder } from "../validation/parse-placeholder.ts";
import { listExamples } from "./list-examples.ts";

export type ExampleChoice = {
  example: string;
  /** Ids of rows, by the names that the example gives them. */
  rows: Readonly<Record<string, string>>;
  /** Entries of `settings.env`. */
  env: Readonly<Record<string, string>>;
};

/** An example with the rows and values that were chosen. What was not chosen stays a placeholder. */
export function fillExample({ example: id, rows, env }: ExampleChoice): WorkflowExample {
  const examples = listExamples();
  const found = examples.find((one) => one.id === id);
  if (found === undefined) {
    const nearest = suggest(
      id,
      examples.map((one) => one.id),
    );
    const hint = nearest || " List the examples to see them.";
    throw toBadRequest([{ path: "example", message: `is not known.${hint}` }]);
  }
  const { settings, nodes, ...body } = toParts(found.body);
  const known = { rows: found.needs.rows.map(({ name }) => name), env: listEnv(found, settings) };
  const issues = [
    ...listUnknown("rows", Object.keys(rows), known.rows),
    ...listUnknown("env", Object.keys(env), known.env),
  ];
  if (issues.length > 0) throw toBadRequest(issues);
  return {
    ...found,
    body: {
      ...body,
      nodes: nodes.map((node) => fillNode(node, rows)),
      settings: { ...settings, env: { ...settings.env, ...env } },
    },
  };
}

type Node = Record<string, unknown>;
type Settings = { env?: Record<string, string> };

function toParts(body: unknown): { nodes: Node[]; settings: Settings } {
  const { nodes, settings = {}, ...rest } = Object(body);
  return { ...rest, nodes, settings };
}

const listEnv = ({ needs }: WorkflowExample, { env = {} }: Settings) => [
  ...needs.env.map(({ name }) => name),
  ...Object.keys(env),
];

function listUnknown(field: string, given: readonly string[], known: readonly string[]): Issue[] {
  const unknown = given.filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    path: `${field}.${name}`,
    message: `is not known. ${known.length === 0 ? "The example needs none." : `Names: ${known.join(", ")}.`}`,
  }));
}

function fillNode(node: Node, rows: ExampleChoice["rows"]): Node {
  const placeholder = typeof node.tool_id === "string" ? parsePlaceholder(node.tool_id) : null;
  const rowId = placeholder === null ? undefined : rows[placeholder.rowName];
  if (placeholder === null || rowId === undefined) return node;
  return { ...node, tool_id: toToolId(rowId, placeholder.operationKey) };
}
