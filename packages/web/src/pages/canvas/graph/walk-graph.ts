import { type Body, type Edge, listLinks, listOutputs } from "./body.ts";
import { isCommentKey, listCommentPositions } from "./comments.ts";

/** The ids of all items in reading order: triggers first, then each node after what leads to it. */
export function sortItems(body: Body): string[] {
  const links = listLinks(body);
  const open = new Map(body.nodes.map(({ id }) => [id, 0]));
  const next = new Map<string, string[]>();
  const cases = new Map(
    body.nodes.map((node) => [node.id, listOutputs(node).map((output) => output.case)]),
  );
  const rank = ({ from, case: name }: Edge) => cases.get(from)?.indexOf(name) ?? 0;
  for (const { from, to, isEntry } of links.sort((one, other) => rank(one) - rank(other))) {
    if (isEntry) continue;
    open.set(to, (open.get(to) ?? 0) + 1);
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const sorted: string[] = [];
  const visit = (id: string) => {
    const waiting = [id];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      sorted.push(one);
      for (const to of [...(next.get(one) ?? [])].reverse()) {
        const left = (open.get(to) ?? 0) - 1;
        open.set(to, left);
        if (left === 0) waiting.push(to);
      }
    }
  };
  for (const id of [...open].filter(([, count]) => count === 0).map(([id]) => id)) visit(id);
  // Nodes of a cycle, which the hub refuses to publish.
  const seen = new Set(sorted);
  const rest = body.nodes.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
  return [...body.triggers.map(({ id }) => id), ...sorted, ...rest];
}

/**
 * The ids of the items from which a node can be reached: the triggers and nodes before it.
 */
export function findAncestors(body: Body, id: string): Set<string> {
  const before = new Map<string, string[]>();
  for (const { from, to } of listLinks(body)) before.set(to, [...(before.get(to) ?? []), from]);
  const found = new Set<string>();
  const waiting = [...(before.get(id) ?? [])];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    waiting.push(...(before.get(one) ?? []));
  }
  return found;
}

export type Direction = "left" | "right" | "up" | "down";

/**
 * Where an arrow key leads: right and left along the connections, up and down to the next item or comment
 * beside. From a comment, each key leads to what is beside. Null at an end.
 */
export function findNeighbour(
  body: Body,
  id: string,
  direction: Direction,
  positions: Readonly<Record<string, readonly [number, number]>>,
): string | null {
  const links = listLinks(body);
  const at = (one: string) => positions[one] ?? [0, 0];
  const isAlong = direction === "left" || direction === "right";
  if (isAlong && !isCommentKey(id)) {
    const found =
      direction === "right"
        ? links.filter(({ from }) => from === id).map(({ to }) => to)
        : links.filter(({ to }) => to === id).map(({ from }) => from);
    return found.sort((one, other) => at(one)[1] - at(other)[1])[0] ?? null;
  }
  const [x, y] = at(id);
  const sign = direction === "down" || direction === "right" ? 1 : -1;
  const distance = (one: string) => {
    const [otherX, otherY] = at(one);
    const [byX, byY] = [Math.abs(otherX - x), Math.abs(otherY - y)];
    return isAlong ? byX + byY * 2 : byX * 2 + byY;
  };
  const axis = isAlong ? 0 : 1;
  const items = [...body.triggers, ...body.nodes].map((item) => item.id);
  const beside = [...items, ...Object.keys(listCommentPositions(body))].filter(
    (one) => one !== id && ((at(one)[axis] ?? 0) - (isAlong ? x : y)) * sign > 0,
  );
  return beside.sort((one, other) => distance(one) - distance(other))[0] ?? null;
}
