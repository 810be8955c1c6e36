import { type Json, parseJson, toJsonText } from "@hub/connector";
import type { WorkflowDiagnosis } from "@hub/contract/workflow-explanation.ts";
import { nodeTemplateFields, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { findTokenSpans } from "../../secrets/value-tokens/token-format.ts";
import { diffBodies } from "../difference/diff-bodies.ts";
import { diffValues } from "../difference/diff-values.ts";
import type { Graph } from "../validation/graph/body-graph.ts";
import { toPointer } from "../validation/problem-list.ts";
import type { Pace } from "../validation/validation-pace.ts";

type Changes = NonNullable<WorkflowDiagnosis["changes"]>;

/** Larger texts are not compared, since that would block the event loop. */
const comparedCharsMax = 1024 * 1024;
const shownBytesMax = 1024;
const differencesMax = 20;

/** What differs in a node and in the nodes before it. Comments and positions do not matter. */
export async function compareBodies(
  before: Json,
  after: Json,
  ids: ReadonlySet<string>,
): Promise<string[]> {
  const { sentences } = await diffBodies(keepNodes(before, ids), keepNodes(after, ids));
  return sentences;
}

/** The body with these nodes, and the triggers and edges that lead to them. */
function keepNodes(body: Json, ids: ReadonlySet<string>): Json {
  const { nodes, edges, triggers, settings } = Object(body);
  const keep = (list: unknown, key: string) =>
    (Array.isArray(list) ? list : []).filter((item) => ids.has(Object(item)[key]));
  const kept = { nodes: keep(nodes, "id"), edges: keep(edges, "to") };
  const { env, timeout_s } = Object(settings);
  return {
    ...kept,
    triggers: keep(triggers, "entry"),
    settings: { ...(env !== undefined && { env }), ...(timeout_s !== undefined && { timeout_s }) },
  };
}

/** Two stored texts of JSON. A value token is new in each run, so tokens are the same. */
export function compareTexts(before: string | null, after: string | null): Changes["input"] {
  if (before === null || after === null) return [];
  if (before.length > comparedCharsMax || after.length > comparedCharsMax) return [];
  return compareValues(parseJson(hideSpans(before)), parseJson(hideSpans(after)));
}

function hideSpans(text: string): string {
  let hidden = "";
  let at = 0;
  for (const { start, end } of findTokenSpans(text)) {
    hidden += `${text.slice(at, start)}[secret]`;
    at = end;
  }
  return hidden + text.slice(at);
}

export function compareValues(before: Json, after: Json): Changes["input"] {
  return diffValues(before, after)
    .slice(0, differencesMax)
    .map(({ path, before: one, after: other }) => ({
      path: toPointer(path),
      ...(one !== undefined && { before: cut(one) }),
      ...(other !== undefined && { after: cut(other) }),
    }));
}

function cut(value: Json): Json {
  return cutJson(value, shownBytesMax, cutSealedText);
}

/** The events of two runs, without what differs in every run. */
export function compareEvents(
  before: Json,
  after: Json,
  paths: readonly string[],
): Changes["event"] {
  const differences = compareValues(toComparable(before), toComparable(after)).map((one) => ({
    ...one,
    is_read: paths.some((path) => isWithin(path, one.path) || isWithin(one.path, path)),
  }));
  return differences.sort((one, other) => Number(other.is_read) - Number(one.is_read));
}

function toComparable(event: Json): Json {
  const { At: _at, ts: _ts, ...rest } = Object(event);
  const text = toJsonText(rest);
  return text.length > comparedCharsMax ? {} : parseJson(hideSpans(text));
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

/** The places of the event that templates and scripts of these nodes read, as JSON pointers. */
export async function listEventPaths(
  graph: Graph,
  ids: Iterable<string>,
  pace: Pace,
): Promise<string[]> {
  const paths = new Set<string>();
  for (const id of ids) {
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    await pace();
    for (const text of listTexts(node)) {
      // `.Event.Payload` in templates, and `event.Payload` in scripts.
      for (const [, path = ""] of text.matchAll(/(?:\.E|\be)vent((?:\.[A-Za-z_]\w*)+)/g)) {
        paths.add(path.replaceAll(".", "/"));
      }
      if (paths.size > pathsMax) return [...paths];
    }
  }
  return [...paths];
}

const pathsMax = 500;

function* listTexts(node: WorkflowNode): Generator<string> {
  const fields: readonly string[] = nodeTemplateFields[node.type];
  const rest = fields.map((field): unknown => Reflect.get(node, field));
  if (node.type === "code") yield node.source;
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string") {
      if (value.includes(".Event")) yield value;
    } else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) rest.push(member);
    }
  }
}

/** A node and all nodes from which edges lead to it. */
export function findAncestors({ incoming }: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id]);
  // The loop also visits what it adds to the set.
  for (const one of found) for (const { from } of incoming.get(one) ?? []) found.add(from);
  return found;
}
