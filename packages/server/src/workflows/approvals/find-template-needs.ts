import type { Json } from "@hub/connector";
import type {
  Command,
  Node,
  Operand,
  Pipeline,
  Template,
} from "../templates/parse/template-nodes.ts";

/** What the templates of a value need to be rendered. */
export type Needs = {
  /** The nodes whose outputs they read. */
  nodes: Set<string>;
  /** Whether they read the outputs of all nodes, as `{{toJSON .Node}}` does. */
  readsAllNodes: boolean;
  usesItem: boolean;
  /** Whether they read the time. */
  usesTime: boolean;
};

/** What the templates in all texts of a value need. Throws TemplateError. */
export function findTemplateNeeds(value: Json, parse: (source: string) => Template): Needs {
  const needs = {
    nodes: new Set<string>(),
    readsAllNodes: false,
    usesItem: false,
    usesTime: false,
  };
  const left: Json[] = [value];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === "string") {
      if (part.includes("{{")) visitNodes(needs, parse(part).nodes);
    } else if (typeof part === "object" && part !== null) {
      for (const member of Object.values(part)) if (member !== undefined) left.push(member);
    }
  }
  return needs;
}

function visitNodes(needs: Needs, nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (node.kind === "action") visitPipeline(needs, node.pipeline);
    if (node.kind === "range") {
      visitPipeline(needs, node.pipeline);
      visitNodes(needs, node.body);
      visitNodes(needs, node.otherwise ?? []);
    }
    if (node.kind === "if" || node.kind === "with") {
      for (const { pipeline, body } of node.branches) {
        visitPipeline(needs, pipeline);
        visitNodes(needs, body);
      }
      visitNodes(needs, node.otherwise);
    }
  }
}

function visitPipeline(needs: Needs, { commands }: Pipeline): void {
  for (const { operands } of commands) visitOperands(needs, operands);
}

function visitOperands(needs: Needs, operands: Command["operands"]): void {
  for (const operand of operands) visitOperand(needs, operand);
}

function visitOperand(needs: Needs, operand: Operand): void {
  if (operand.kind === "group") visitPipeline(needs, operand.pipeline);
  if (operand.kind === "function" && operand.name === "now") needs.usesTime = true;
  if (operand.kind !== "root") return;
  const [name] = operand.path;
  if (operand.root === "Item" || operand.root === "Index") needs.usesItem = true;
  if (operand.root !== "Node") return;
  if (name === undefined) needs.readsAllNodes = true;
  else needs.nodes.add(name);
}
