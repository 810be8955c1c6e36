import { nodeTemplateFields } from "@hub/contract/workflow-node.ts";
import { findReferences } from "../templates/find-references.ts";
import { parseTemplate } from "../templates/parse/parser.ts";
import { TemplateError } from "../templates/template-error.ts";
import { listObjects } from "./walk-body.ts";

/** Further names of a body that is built to be slow are left out: a workflow has fewer secrets. */
const neededMax = 1000;
/** Further templates with secrets are not parsed, but searched, which is faster. */
const parsedCharsMax = 256 * 1024;
const namePattern = /^[A-Za-z_]\w{0,63}$/;
const fieldsOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(nodeTemplateFields),
);

/**
 * The names of the secrets that a body needs: in the templates of its nodes and for the signatures of
 * webhooks. Any draft can be read, also one with errors.
 */
export function listNeededSecrets(body: unknown): string[] {
  const names = new Set<string>();
  let chars = 0;
  for (const text of listTemplates(body)) {
    if (names.size >= neededMax) break;
    chars += text.length;
    for (const name of chars > parsedCharsMax ? searchSecrets(text) : readSecrets(text)) {
      if (names.size < neededMax) names.add(name);
    }
  }
  for (const { secret_ref: name } of listObjects(body, "triggers")) {
    if (typeof name === "string" && namePattern.test(name)) names.add(name);
  }
  return [...names].sort();
}

/** The texts with secrets in those fields of nodes that are rendered. */
function* listTemplates(body: unknown): Generator<string> {
  for (const { type, ...node } of listObjects(body, "nodes")) {
    const rest = (fieldsOf.get(String(type)) ?? []).map((field) => node[field]);
    while (rest.length > 0) {
      const value = rest.pop();
      if (typeof value === "string") {
        if (value.includes("{{") && value.includes(".Secret.")) yield value;
      } else if (typeof value === "object" && value !== null) {
        for (const member of Object.values(value)) rest.push(member);
      }
    }
  }
}

function readSecrets(text: string): readonly string[] {
  try {
    return findReferences(parseTemplate(text)).secrets.filter((name) => namePattern.test(name));
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    // A draft whose template is not finished.
    return searchSecrets(text);
  }
}

/** Names anywhere in the text. One too many does no harm. */
function searchSecrets(text: string): string[] {
  return [...text.matchAll(/\.Secret\.([A-Za-z_]\w{0,63})/g)].map(([, name = ""]) => name);
}
