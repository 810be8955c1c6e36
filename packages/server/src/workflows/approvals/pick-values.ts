import { isJsonObject, type Json } from "@hub/connector";
import { listScalars } from "../../lib/json/list-scalars.ts";
import { TemplateError } from "../templates/template-error.ts";
import { findTemplateNeeds } from "./find-template-needs.ts";
import type { FollowingNode } from "./show-node.ts";
import type { NamedValue } from "./shown-values.ts";
import type { Lookahead } from "./what-will-run.ts";

type PickDeps = Pick<Lookahead, "parse" | "render" | "isCompleted">;

/** Values of a node that its approvers see first, if the author of the workflow names none. */
const pickedMax = 5;
/** Each can take as long as a step may render. */
const templatesMax = 20;

/**
 * The first five scalars that a node gets, by their paths, such as `customer.name`. Those without a text, and
 * templates that cannot be rendered yet, are left out. With `for_each`, how often the node runs comes first, and
 * then what its first item gets.
 */
export async function pickValues(deps: PickDeps, node: FollowingNode): Promise<NamedValue[]> {
  const [first] = node.items?.shown ?? [];
  const picked: NamedValue[] = [];
  if (node.items !== null) {
    picked.push({ label: "number of items", value: String(node.items.count) });
    if (first === undefined) return picked;
  }
  let templates = 0;
  for (const { label, value: given } of listScalars(toMain(node, first ?? node.fields))) {
    if (picked.length === pickedMax) break;
    const isTemplate = !node.isRendered && typeof given === "string" && given.includes("{{");
    if (isTemplate) templates += 1;
    if (templates > templatesMax) break;
    const value = isTemplate ? await renderKnown(deps, given) : given;
    if (value !== null && value !== "") picked.push({ label, value });
  }
  return picked;
}

/** What of the fields decides: the inputs of a call by their own names, and no headers. */
function toMain({ node }: FollowingNode, fields: Json): Json {
  if (!isJsonObject(fields)) return fields;
  // Safe: the fields are JSON.
  const { headers: _, ...rest } = fields as Record<string, Json>;
  const inner = rest[innerFields.get(node.type) ?? ""];
  return typeof inner === "object" && inner !== null ? inner : rest;
}

const innerFields: ReadonlyMap<string, string> = new Map([
  ["operation", "params"],
  ["channel", "args"],
  ["workflow", "payload"],
]);

/** Null if it cannot be rendered yet, or is no scalar. */
async function renderKnown(
  { parse, render, isCompleted }: PickDeps,
  template: string,
): Promise<Json> {
  try {
    const needs = findTemplateNeeds(template, parse);
    if (needs.readsAllNodes || needs.usesItem || needs.usesTime) return null;
    if ([...needs.nodes].some((id) => !isCompleted(id))) return null;
    const rendered = await render(template, null);
    return typeof rendered === "object" ? null : rendered;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return null;
    throw thrown;
  }
}
