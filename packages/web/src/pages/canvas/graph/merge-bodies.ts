import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import type { Body, Edge, Item } from "./body.ts";
import { toCommentKey } from "./comments.ts";
import type { Change } from "./flow.ts";

/** Two bodies in one: the newer one with what it has removed. */
export type MergedBodies = {
  body: Body;
  /** What the newer body did to an item, or to a comment by its key. */
  changes: ReadonlyMap<string, Change>;
  findLinkChange: (link: Edge) => Change | null;
};

/** Merges bodies, so that what differs between them can be drawn as one graph. */
export function mergeBodies(
  older: Body,
  newer: Body,
  difference: WorkflowDifference,
): MergedBodies {
  const { nodes, triggers, edges, comments } = difference;
  const changes = new Map<string, Change>();
  const addChanges = ({ added, removed, changed }: WorkflowDifference["nodes"], toKey = toSame) => {
    for (const id of added) changes.set(toKey(id), "added");
    for (const id of removed) changes.set(toKey(id), "removed");
    for (const { id } of changed) changes.set(toKey(id), "changed");
  };
  addChanges(triggers);
  addChanges(nodes);
  addChanges(comments, toCommentKey);
  const links = new Map<string, Change>();
  for (const edge of edges.added) links.set(toLinkKey(edge), "added");
  for (const edge of edges.removed) links.set(toLinkKey(edge), "removed");
  for (const trigger of newer.triggers) {
    const entry = String(trigger.entry);
    const change = changes.get(trigger.id);
    const before = older.triggers.find(({ id }) => id === trigger.id)?.entry;
    if (change === "added" || (change === "changed" && before !== entry)) {
      links.set(toLinkKey({ from: trigger.id, to: entry }), "added");
    }
  }
  // An id can be a node in one body and a trigger in the other.
  const known = new Set([...newer.triggers, ...newer.nodes].map(({ id }) => id));
  const isGone = ({ id }: Item) => !known.has(id);
  const gone = older.triggers.filter(isGone);
  for (const { id, entry } of gone) {
    links.set(toLinkKey({ from: id, to: String(entry) }), "removed");
  }
  const written = new Set(newer.edges.map(toLinkKey));
  const writtenComments = new Set(newer.comments?.map(({ id }) => id));
  const body: Body = {
    triggers: [...newer.triggers, ...gone],
    nodes: [...newer.nodes, ...older.nodes.filter(isGone)],
    edges: [...newer.edges, ...older.edges.filter((edge) => !written.has(toLinkKey(edge)))],
    layout: { ...older.layout, ...newer.layout },
    comments: [
      ...(newer.comments ?? []),
      ...(older.comments ?? []).filter(({ id }) => !writtenComments.has(id)),
    ],
  };
  return { body, changes, findLinkChange: (link) => links.get(toLinkKey(link)) ?? null };
}

const toSame = (id: string) => id;
const toLinkKey = ({ from, to, case: name }: Edge) => JSON.stringify([from, to, name]);
