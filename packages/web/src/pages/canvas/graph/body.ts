import { defaultCase, errorCase } from "@hub/contract/workflow-cases.ts";

/** A node or trigger of a draft. Its fields are checked by the hub, because a draft may have errors. */
export type Item = {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
};
export type Edge = { readonly from: string; readonly to: string; readonly case?: string };
export type Position = readonly [x: number, y: number];

/** A text on the canvas, for those who read the workflow. */
export type Comment = {
  readonly id: string;
  readonly text: string;
  readonly position: Position;
  readonly size: Position;
};

/** The body of a workflow as it is drawn. Other members, such as `settings`, are kept as they are. */
export type Body = {
  readonly triggers: readonly Item[];
  readonly nodes: readonly Item[];
  readonly edges: readonly Edge[];
  readonly layout: Readonly<Record<string, Position>>;
  readonly comments?: readonly Comment[];
  readonly [member: string]: unknown;
};

/** @internal */
export const emptyBody: Body = { triggers: [], nodes: [], edges: [], layout: {} };

/** Reads a body. Null if it cannot be drawn, such as one with an id that is used twice. */
export function readBody(value: unknown): Body | null {
  if (!isRecord(value)) return null;
  const { triggers = [], nodes = [], edges = [], layout = {}, comments, ...rest } = value;
  if (!areItems(triggers) || !areItems(nodes) || !areEdges(edges) || !isRecord(layout)) return null;
  const ids = [...triggers, ...nodes].map(({ id }) => id);
  if (new Set(ids).size < ids.length) return null;
  const known = new Set(ids);
  const positions = Object.entries(layout).filter(
    (entry): entry is [string, Position] => known.has(entry[0]) && isPosition(entry[1]),
  );
  const read = { ...rest, triggers, nodes, edges, layout: Object.fromEntries(positions) };
  return Array.isArray(comments) ? { ...read, comments: comments.filter(isComment) } : read;
}

/** Others, such as those of a draft with errors, are not drawn. */
function isComment(value: unknown): value is Comment {
  if (!isRecord(value) || !isText(value.id) || !isText(value.text)) return false;
  return isPosition(value.position) && isPosition(value.size);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function areItems(list: unknown): list is Item[] {
  return (
    Array.isArray(list) &&
    list.every((one) => isRecord(one) && isText(one.id) && one.id !== "" && isText(one.type))
  );
}

function areEdges(list: unknown): list is Edge[] {
  return (
    Array.isArray(list) &&
    list.every(
      (one) =>
        isRecord(one) &&
        isText(one.from) &&
        isText(one.to) &&
        (one.case === undefined || isText(one.case)),
    )
  );
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}

const isText = (value: unknown): value is string => typeof value === "string";

export function findItem(body: Body, id: string): Item | null {
  return [...body.triggers, ...body.nodes].find((item) => item.id === id) ?? null;
}

export function isTrigger(body: Body, id: string): boolean {
  return body.triggers.some((trigger) => trigger.id === id);
}

/**
 * The cases of a node that an edge can have. Empty for a node with one plain output.
 * @internal
 */
export function listItemCases(item: Item): string[] {
  const cases = listOwnCases(item);
  return item.on_error === "route" ? [...cases, errorCase] : cases;
}

function listOwnCases({ type, cases }: Item): string[] {
  if (type === "branch") return ["true", "false"];
  if (type === "approval") return ["approved", "denied", "expired"];
  if (type !== "switch") return [];
  const named = Array.isArray(cases) ? cases.flatMap((one) => (isCase(one) ? one.case : [])) : [];
  return [...new Set(named), defaultCase];
}

function isCase(value: unknown): value is { case: string } {
  return isRecord(value) && isText(value.case) && value.case !== "";
}

/** An end of an item from which edges start: a case, or the plain output, whose case is undefined. */
export type Output = { case: string | undefined };

/** The outputs of an item. A node that routes errors keeps its plain output. */
export function listOutputs(item: Item): Output[] {
  const own = listOwnCases(item);
  const cases = listItemCases(item).map((name) => ({ case: name }));
  return own.length === 0 ? [{ case: undefined }, ...cases] : cases;
}

/** A connection of the graph: an edge of two nodes, or the entry of a trigger. */
export type Link = Edge & { readonly isEntry: boolean };

/** All connections between items that exist. */
export function listLinks(body: Body): Link[] {
  const nodes = new Set(body.nodes.map(({ id }) => id));
  const entries = body.triggers.flatMap(({ id, entry }) =>
    typeof entry === "string" && nodes.has(entry) ? [{ from: id, to: entry, isEntry: true }] : [],
  );
  const edges = body.edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  return [...entries, ...edges.map((edge) => ({ ...edge, isEntry: false }))];
}
