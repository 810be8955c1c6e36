import { type Body, type Edge, type Item, type Position, readBody } from "./body.ts";
import { makeId } from "./commands.ts";
import { makeCommentId, toCommentKey } from "./comments.ts";
import { renameInTemplates } from "./rename-in-templates.ts";

const format = "hub-workflow-part";

/** A part of a graph as text, for the clipboard of the system. Secrets are never in a body. */
export function copyItems(body: Body, ids: ReadonlySet<string>): string {
  const isCopied = ({ id }: Item) => ids.has(id);
  return JSON.stringify({
    format,
    body: {
      triggers: body.triggers.filter(isCopied),
      nodes: body.nodes.filter(isCopied),
      edges: body.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
      layout: Object.fromEntries(Object.entries(body.layout).filter(([id]) => ids.has(id))),
      comments: (body.comments ?? []).filter(({ id }) => ids.has(toCommentKey(id))),
    },
  });
}

/** The part in a text. Null if it is something else. */
export function readCopied(value: unknown): Body | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("format" in value) || value.format !== format || !("body" in value)) return null;
  return readBody(value.body);
}

/** Adds a copied part, with new ids where theirs are taken, and moved by some pixels. */
export function pasteItems(
  body: Body,
  part: Body,
  offset: Position,
): { body: Body; ids: ReadonlySet<string> } {
  const names = new Map<string, string>();
  let known = body;
  for (const { id } of [...part.triggers, ...part.nodes]) {
    const name = makeId(known, id);
    names.set(id, name);
    known = { ...known, nodes: [...known.nodes, { id: name, type: "" }] };
  }
  const rename = (id: string) => names.get(id) ?? id;
  const toItem = (item: Item): Item => {
    const fields = [...names].reduce<unknown>(
      (value, [before, id]) => (before === id ? value : renameInTemplates(value, before, id)),
      item,
    );
    // A record with the same members.
    return { ...(fields as Item), id: rename(item.id), type: item.type };
  };
  const triggers = part.triggers.map((trigger) => {
    const entry = names.get(String(trigger.entry)) ?? "";
    return { ...toItem(trigger), entry };
  });
  const edges = part.edges.map<Edge>((edge) => ({
    ...edge,
    from: rename(edge.from),
    to: rename(edge.to),
  }));
  const layout = Object.entries(part.layout).map(
    ([id, [x, y]]) => [rename(id), [x + offset[0], y + offset[1]]] as const,
  );
  const [byX, byY] = offset;
  const comments = [...(body.comments ?? [])];
  const keys = new Set<string>();
  for (const comment of part.comments ?? []) {
    const id = makeCommentId({ ...body, comments });
    const [x, y] = comment.position;
    comments.push({ ...comment, id, position: [x + byX, y + byY] });
    keys.add(toCommentKey(id));
  }
  return {
    body: {
      ...body,
      ...(comments.length > 0 && { comments }),
      triggers: [...body.triggers, ...triggers],
      nodes: [...body.nodes, ...part.nodes.map(toItem)],
      edges: [...body.edges, ...edges],
      layout: { ...body.layout, ...Object.fromEntries(layout) },
    },
    ids: new Set([...names.values(), ...keys]),
  };
}
