import type { Edge as FlowEdge, Node as FlowNode } from "@xyflow/react";
import { type Body, type Item, listLinks, listOutputs, type Position } from "./body.ts";
import type { LayoutInput } from "./layout-graph.ts";
import { sortItems } from "./walk-graph.ts";

export type ItemState = "running" | "succeeded" | "failed" | "skipped" | "waiting" | "cancelled";

/** How an item is shown, besides its fields. */
export type ItemLook = {
  state: ItemState | null;
  /** How many items of a `for_each` have ended, such as "3 of 8". */
  note: string | null;
  problem: "error" | "warning" | null;
};

export type ItemData = ItemLook & {
  item: Item;
  isTrigger: boolean;
  /** The outputs with whether something follows. */
  outputs: ReadonlyArray<{ case: string | undefined; isTaken: boolean }>;
  isReadOnly: boolean;
  /** Whether Tab reaches this item; arrow keys reach the others. */
  isTabStop: boolean;
};
export type ItemFlowNode = FlowNode<ItemData, "item">;
type LinkData = { case: string | undefined; isEntry: boolean; isTaken: boolean };
export type LinkFlowEdge = FlowEdge<LinkData, "link">;

export const itemWidthPx = 232;
const itemHeightPx = 64;
const outputHeightPx = 28;

export function toItemSize(item: Item): { width: number; height: number } {
  const outputs = listOutputs(item).length;
  return { width: itemWidthPx, height: Math.max(itemHeightPx, outputs * outputHeightPx + 8) };
}

/** What the layout needs of a graph. */
export function toLayoutInput(body: Body): LayoutInput {
  const items = new Map([...body.triggers, ...body.nodes].map((item) => [item.id, item]));
  const order = sortItems(body);
  const rank = new Map(order.map((id, at) => [id, at]));
  const links = listLinks(body).sort(
    (one, other) => (rank.get(one.to) ?? 0) - (rank.get(other.to) ?? 0),
  );
  return {
    // The layout keeps the order of the cases where it can.
    nodes: order.flatMap((id) => {
      const item = items.get(id);
      return item === undefined ? [] : [{ id, ...toItemSize(item) }];
    }),
    links: links.map(({ from, to }) => ({ from, to })),
  };
}

type FlowOptions = {
  positions: Readonly<Record<string, Position>>;
  selected: ReadonlySet<string>;
  tabStop: string | null;
  isReadOnly: boolean;
  toLook: (id: string) => ItemLook;
};

export function toFlowNodes(body: Body, options: FlowOptions): ItemFlowNode[] {
  const taken = new Set(listLinks(body).map(({ from, case: name }) => `${from} ${name ?? ""}`));
  const toNode = (item: Item, isTrigger: boolean): ItemFlowNode => {
    const [x, y] = options.positions[item.id] ?? [0, 0];
    const outputs = isTrigger ? [{ case: undefined }] : listOutputs(item);
    return {
      ...{ id: item.id, type: "item", position: { x, y }, ...toItemSize(item) },
      selected: options.selected.has(item.id),
      data: {
        ...options.toLook(item.id),
        ...{ item, isTrigger, isReadOnly: options.isReadOnly },
        isTabStop: options.tabStop === item.id,
        outputs: outputs.map((output) => ({
          ...output,
          isTaken: taken.has(`${item.id} ${output.case ?? ""}`),
        })),
      },
    };
  };
  return [
    ...body.triggers.map((item) => toNode(item, true)),
    ...body.nodes.map((item) => toNode(item, false)),
  ];
}

/** The id of the end of an item from which a case starts. */
export const toHandle = (name: string | undefined) => (name === undefined ? "out" : `case:${name}`);
export function fromHandle(handle: string | null | undefined): string | undefined {
  return handle?.startsWith("case:") ? handle.slice("case:".length) : undefined;
}

/** `isTaken` says along which connections a run went. */
export function toFlowEdges(
  body: Body,
  isTaken: (link: { from: string; to: string; case: string | undefined }) => boolean,
): LinkFlowEdge[] {
  return listLinks(body).map(({ from, to, isEntry, case: name }, at) => ({
    // Drafts may have an edge twice.
    ...{ id: `${at} ${from} ${name ?? ""} ${to}`, type: "link", source: from, target: to },
    sourceHandle: toHandle(name),
    focusable: false,
    data: { case: name, isEntry, isTaken: isTaken({ from, to, case: name }) },
  }));
}
