import { nodeTemplateFields, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import { findReferences } from "../../templates/find-references.ts";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { TemplateError } from "../../templates/template-error.ts";

/**
 * The nodes whose outputs the templates of a node read. `isTested` if each of them tests for the absence
 * of the output. A template that cannot be parsed reads nothing: the run says what is wrong with it.
 */
export function listReadNodes(node: WorkflowNode): Map<string, { isTested: boolean }> {
  const found = new Map<string, { isTested: boolean }>();
  for (const field of nodeTemplateFields[node.type]) {
    for (const text of listTexts(Reflect.get(node, field))) {
      for (const { id, isTested } of readReferences(text)) {
        found.set(id, { isTested: isTested && (found.get(id)?.isTested ?? true) });
      }
    }
  }
  return found;
}

function readReferences(text: string) {
  try {
    return findReferences(parseTemplate(text)).nodes;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return [];
    throw thrown;
  }
}

function* listTexts(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (value.includes("{{")) yield value;
  } else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) yield* listTexts(member);
  }
}
