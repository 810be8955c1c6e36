import {
  type Body,
  type Edge,
  findItem,
  type Item,
  isTrigger,
  listLinks,
  listOutputs,
  type Position,
} from "./body.ts";
import { isCommentKey, moveComments, removeComments } from "./comments.ts";
import { renameInTemplates } from "./rename-in-templates.ts";

/** Where a new item is connected: after an item, or on the connection of two. */
export type InsertPoint = { from: string; case?: string | undefined; to?: string };

/** The place after an item: its first output that leads nowhere, or else between it and the next node. */
export function findOpenOutput(body: Body, id: string): InsertPoint | null {
  const item = findItem(body, id);
  if (item === null) return null;
  if (isTrigger(body, id)) {
    // A trigger leads to one node. A new one comes between.
    const { entry } = item;
    const leads = body.nodes.some((node) => node.id === entry);
    return leads ? { from: id, to: String(entry) } : { from: id };
  }
  const outputs = listOutputs(item);
  const open = outputs.find(
    (output) => !body.edges.some((edge) => edge.from === id && edge.case === output.case),
  );
  if (open !== undefined) return { from: id, case: open.case };
  const next = body.edges.find((edge) => edge.from === id);
  return { from: id, case: next?.case, ...(next !== undefined && { to: next.to }) };
}

/** An id for a new item: its type, and a number if that is taken. */
export function makeId(body: Body, wanted: string): string {
  const known = new Set([...body.triggers, ...body.nodes].map(({ id }) => id));
  const base = wanted.replace(/_\d+$/, "");
  if (!known.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) {
    const id = `${base}_${number}`;
    if (!known.has(id)) return id;
  }
}

export function addTrigger(body: Body, trigger: Item, position?: Position): Body {
  // A first trigger starts at the node where the graph begins.
  const entered = new Set(body.edges.map(({ to }) => to));
  const first = body.nodes.find(({ id }) => !entered.has(id))?.id ?? "";
  const { entry = first, ...fields } = trigger;
  const added = { ...fields, entry } as Item;
  return place({ ...body, triggers: [...body.triggers, added] }, trigger.id, position);
}

export function addNode(body: Body, node: Item, at: InsertPoint | null, position?: Position): Body {
  const added = place({ ...body, nodes: [...body.nodes, node] }, node.id, position);
  if (at === null) return added;
  return at.to === undefined
    ? connect(added, { ...toEdge(at), to: node.id })
    : splice(added, node.id, at);
}

const toEdge = ({ from, case: name }: InsertPoint) => ({ from, ...toCase(name) });
const toCase = (name: string | undefined) => (name === undefined ? {} : { case: name });

function place(body: Body, id: string, position: Position | undefined): Body {
  if (position === undefined) return body;
  return { ...body, layout: { ...body.layout, [id]: position } };
}

/** Connects two items. A trigger has one entry, so that its former one is replaced. */
export function connect(body: Body, edge: Edge): Body {
  if (edge.from === edge.to || isTrigger(body, edge.to)) return body;
  if (isTrigger(body, edge.from)) return setFields(body, edge.from, { entry: edge.to });
  if (body.edges.some((one) => isSameEdge(one, edge))) return body;
  return { ...body, edges: [...body.edges, edge] };
}

export function disconnect(body: Body, edge: Edge): Body {
  if (isTrigger(body, edge.from)) {
    return findItem(body, edge.from)?.entry === edge.to
      ? setFields(body, edge.from, { entry: "" })
      : body;
  }
  return { ...body, edges: body.edges.filter((one) => !isSameEdge(one, edge)) };
}

function isSameEdge(one: Edge, other: Edge): boolean {
  return one.from === other.from && one.to === other.to && one.case === other.case;
}

/** Whether a node has no connection, so that it can be put on one. */
export function isFree(body: Body, id: string): boolean {
  if (isTrigger(body, id) || findItem(body, id) === null) return false;
  return !listLinks(body).some(({ from, to }) => from === id || to === id);
}

/** Puts a node that has no connection on one. */
export function splice(body: Body, id: string, { to, ...at }: InsertPoint): Body {
  const node = findItem(body, id);
  if (node === null || to === undefined || !isFree(body, id)) return body;
  const opened = disconnect(body, { ...toEdge(at), to });
  const [output] = listOutputs(node);
  const before = connect(opened, { ...toEdge(at), to: id });
  return connect(before, { from: id, to, ...toCase(output?.case) });
}

/** Removes items with their connections, and comments. What led to a removed node in a row leads to the next one. */
export function removeItems(body: Body, ids: ReadonlySet<string>): Body {
  const bridged = removeComments([...ids].reduce(bridge, body), ids);
  return {
    ...bridged,
    triggers: bridged.triggers
      .filter(({ id }) => !ids.has(id))
      .map((trigger) => (ids.has(String(trigger.entry)) ? { ...trigger, entry: "" } : trigger)),
    nodes: bridged.nodes.filter(({ id }) => !ids.has(id)),
    edges: bridged.edges.filter(({ from, to }) => !ids.has(from) && !ids.has(to)),
    layout: Object.fromEntries(Object.entries(bridged.layout).filter(([id]) => !ids.has(id))),
  };
}

/** Connects what is before a node with what is after it, if it is one step of a row. */
function bridge(body: Body, id: string): Body {
  const after = body.edges.filter(({ from }) => from === id);
  const [next] = after;
  if (next === undefined || after.length !== 1) return body;
  const edges = body.edges.filter(({ to }) => to === id);
  const entries = body.triggers.filter(({ entry }) => entry === id);
  const joined = edges.reduce((done, edge) => connect(done, { ...edge, to: next.to }), body);
  return entries.reduce((done, trigger) => setFields(done, trigger.id, { entry: next.to }), joined);
}

/** Places items, and comments by their keys. */
export function move(body: Body, positions: Readonly<Record<string, Position>>): Body {
  const items = Object.entries(positions).filter(([key]) => !isCommentKey(key));
  const layout = { ...body.layout, ...Object.fromEntries(items) };
  return moveComments({ ...body, layout }, positions);
}

/**
 * Changes fields of an item. A field that is undefined is removed.
 */
export function setFields(body: Body, id: string, fields: Readonly<Record<string, unknown>>): Body {
  const change = (item: Item): Item => {
    if (item.id !== id) return item;
    const entries = Object.entries({ ...item, ...fields });
    // `id` and `type` stay, because callers change other fields only.
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Item;
  };
  const changed = { ...body, triggers: body.triggers.map(change), nodes: body.nodes.map(change) };
  return dropLostCases(changed, id);
}

/** Whether a node can be switched off, which takes one without cases of its own, or on again. */
export function canSwitch(node: Item): boolean {
  return node.disabled === true || listOutputs(node).some((output) => output.case === undefined);
}

/**
 * Switches nodes off, or on again if all that can be switched off are off. Triggers and nodes with cases stay as
 * they are, except that a node with cases that is off, as a model may have written it, is switched on.
 */
export function switchItems(body: Body, ids: ReadonlySet<string>): Body {
  const nodes = body.nodes.filter((node) => ids.has(node.id) && canSwitch(node));
  const isOn = nodes.some(({ disabled }) => disabled !== true);
  return nodes.reduce((done, { id }) => setFields(done, id, { disabled: isOn || undefined }), body);
}

/** Removes the edges of a case that its node has no more. */
function dropLostCases(body: Body, id: string): Body {
  const item = findItem(body, id);
  if (item === null || isTrigger(body, id)) return body;
  const cases = new Set(listOutputs(item).map((output) => output.case));
  const edges = body.edges.filter((edge) => edge.from !== id || cases.has(edge.case));
  return edges.length === body.edges.length ? body : { ...body, edges };
}

/**
 * Renames a case of a switch together with its edges.
 */
export function renameCase(
  body: Body,
  id: string,
  { from, to, cases }: { from: string; to: string; cases: unknown },
): Body {
  const edges = body.edges.map((edge) =>
    edge.from === id && edge.case === from ? { ...edge, case: to } : edge,
  );
  return setFields({ ...body, edges }, id, { cases });
}

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * What is wrong with a new id; null if it can be used.
 */
export function checkNewId(body: Body, before: string, id: string): string | null {
  if (!namePattern.test(id)) {
    return "Use 1 to 64 of a-z, 0-9 and _, and start with a letter.";
  }
  if (id !== before && findItem(body, id) !== null) return "Another node or trigger has this id.";
  return null;
}

/**
 * Gives an item another id, in its connections and in the templates that read it, too.
 */
export function renameItem(body: Body, before: string, id: string): Body {
  const rename = (one: string) => (one === before ? id : one);
  const items = (list: readonly Item[]) =>
    list.map((item) => {
      // A record with the same members.
      const fields = renameInTemplates(item, before, id) as Item;
      return { ...fields, id: rename(item.id), type: item.type };
    });
  const layout = Object.entries(body.layout).map(([key, at]) => [rename(key), at] as const);
  return {
    ...body,
    triggers: body.triggers.map((one) => {
      const id = rename(one.id);
      return typeof one.entry === "string"
        ? { ...one, id, entry: rename(one.entry) }
        : { ...one, id };
    }),
    nodes: items(body.nodes),
    edges: body.edges.map((edge) => ({ ...edge, from: rename(edge.from), to: rename(edge.to) })),
    layout: Object.fromEntries(layout),
  };
}
