import { isJsonObject, type Json } from "@hub/connector";
import { TemplateError } from "../templates/template-error.ts";
import { findTemplateNeeds } from "./find-template-needs.ts";
import type { FollowingNode } from "./show-node.ts";
import type { NamedValue } from "./shown-values.ts";
import type { Lookahead } from "./what-will-run.ts";

type PickDeps = Pick<Lookahead, "parse" | "render" | "isCompleted">;

/** Values of a node that its approvers see first, if the author of the workflow names none. */
const pickedMax = 5;
/** Parts of the fields that are looked at. */
const partsMax = 1_000;
const depthMax = 32;
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

/** The texts, numbers and booleans of a value in its order, with their paths. */
function* listScalars(value: Json): Generator<NamedValue> {
  const left: Array<NamedValue & { depth: number }> = [{ label: "", value, depth: 0 }];
  for (let parts = 0; left.length > 0 && parts < partsMax; parts += 1) {
    const { label, value: part, depth } = left.pop() ?? { label: "", value: null, depth: 0 };
    if (typeof part !== "object") yield { label: label === "" ? "value" : label, value: part };
    if (typeof part !== "object" || part === null || depth === depthMax) continue;
    const members: typeof left = [];
    if (Array.isArray(part)) {
      for (const [at, item] of part.slice(0, partsMax).entries()) {
        members.push({ label: `${label}[${at}]`, value: item, depth: depth + 1 });
      }
    } else {
      for (const key of Object.keys(part).slice(0, partsMax)) {
        const member = (part as Record<string, Json>)[key];
        if (member === undefined) continue;
        members.push({ label: addKey(label, key), value: member, depth: depth + 1 });
      }
    }
    left.push(...members.reverse());
  }
}

/**
 * A name that comes from outside cannot look like a longer path or like a value. It is whole: a part of a secret in it
 * would be found by no mask.
 */
function addKey(path: string, key: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_-]{0,99}$/u.test(key);
  if (isPlain) return path === "" ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}
