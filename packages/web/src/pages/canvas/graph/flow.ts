import type { Edge as FlowEdge, Node as FlowNode } from "@xyflow/react";
import {
  type Body,
  type Comment,
  type Edge,
  type Item,
  listLinks,
  listOutputs,
  type Position,
} from "./body.ts";
import { toCommentKey } from "./comments.ts";
import { findRowId } from "./item-row.ts";
import { toItemSize } from "./item-size.ts";
import type { LayoutInput } from "./layout-graph.ts";
import { sortItems } from "./walk-graph.ts";

export type ItemState =
  | "running"
  | "succeeded"
  | "failed"
  | "skipped"
  | "waiting"
  | "cancelled"
  | "unknown";

/** What a newer body did to a part of an older one. */
export type Change = "added" | "removed" | "changed";

/** How an item is shown, besides its fields. */
export type ItemLook = {
  state: ItemState | null;
  /** How many items of a `for_each` have ended, such as "3 of 8". */
  note: string | null;
  problem: "error" | "warning" | null;
  /** What differs, on a picture of a difference. Null for what is as before. */
  change?: Change | null;
};

/** How a connection is shown, besides its case. */
export type LinkLook = {
  /** Whether a run went along it. */
  isTaken: boolean;
  /** Whether a dry run does not know if it goes along it. */
  isUnknown?: true;
  /** What went along it, such as "8 items", if it was several things. */
  note?: { text: string; why: string } | null;
  change?: Change | null;
};

/** The row of a node that calls an operation. */
export type ItemRow = {
  label: string;
  connector: string;
  /** The logo of the row; null if it has none. */
  logo: string | null;
};

export type ItemData = ItemLook & {
  item: Item;
  /** Null for items without a row, and while it is read. */
  row: ItemRow | null;
  isTrigger: boolean;
  /** The outputs with whether something follows. */
  outputs: ReadonlyArray<{ case: string | undefined; isTaken: boolean }>;
  isReadOnly: boolean;
  /** Whether Tab reaches this item; arrow keys reach the others. */
  isTabStop: boolean;
};
export type ItemFlowNode = FlowNode<ItemData, "item">;
type CommentData = {
  comment: Comment;
  isReadOnly: boolean;
  isTabStop: boolean;
  change: Change | null;
};
export type CommentFlowNode = FlowNode<CommentData, "comment">;
export type CanvasNode = ItemFlowNode | CommentFlowNode;
type LinkData = LinkLook & {
  case: string | undefined;
  isEntry: boolean;
  /** Half the height of the node where it ends. */
  targetHalfPx: number;
};
export type LinkFlowEdge = FlowEdge<LinkData, "link">;

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
  /** The rows of the operations, by their ids. */
  rows: ReadonlyMap<string, ItemRow>;
};

/** Without a transform of their own, items are drawn in one go with their neighbours. */
export function toPositionStyle(x: number, y: number) {
  return { transform: "none", left: x, top: y };
}

/** Comments are below everything else, also while they are selected. */
const commentLayer = -2000;

export function toFlowNodes(body: Body, options: FlowOptions): CanvasNode[] {
  const taken = new Set(listLinks(body).map(({ from, case: name }) => `${from} ${name ?? ""}`));
  const toNode = (item: Item, isTrigger: boolean): ItemFlowNode => {
    const [x, y] = options.positions[item.id] ?? [0, 0];
    const outputs = isTrigger ? [{ case: undefined }] : listOutputs(item);
    return {
      id: item.id,
      type: "item",
      position: { x, y },
      style: toPositionStyle(x, y),
      ...toItemSize(item),
      selected: options.selected.has(item.id),
      data: {
        ...options.toLook(item.id),
        item,
        row: options.rows.get(findRowId(item) ?? "") ?? null,
        isTrigger,
        isReadOnly: options.isReadOnly,
        isTabStop: options.tabStop === item.id,
        outputs: outputs.map((output) => ({
          ...output,
          isTaken: taken.has(`${item.id} ${output.case ?? ""}`),
        })),
      },
    };
  };
  const toComment = (comment: Comment): CommentFlowNode => {
    const id = toCommentKey(comment.id);
    const [x, y] = options.positions[id] ?? comment.position;
    const [width, height] = comment.size;
    const { change = null } = options.toLook(id);
    return {
      id,
      type: "comment",
      position: { x, y },
      style: toPositionStyle(x, y),
      width,
      height,
      zIndex: commentLayer,
      selected: options.selected.has(id),
      data: { comment, isReadOnly: options.isReadOnly, isTabStop: options.tabStop === id, change },
    };
  };
  return [
    ...(body.comments ?? []).map(toComment),
    ...body.triggers.map((item) => toNode(item, true)),
    ...body.nodes.map((item) => toNode(item, false)),
  ];
}

/** The id of the end of an item from which a case starts. */
export const toHandle = (name: string | undefined) => (name === undefined ? "out" : `case:${name}`);
export function fromHandle(handle: string | null | undefined): string | undefined {
  return handle?.startsWith("case:") ? handle.slice("case:".length) : undefined;
}

const plainLink: LinkLook = { isTaken: false };

export function toFlowEdges(
  body: Body,
  toLook: (link: Edge) => LinkLook = () => plainLink,
): LinkFlowEdge[] {
  const heights = new Map(body.nodes.map((node) => [node.id, toItemSize(node).height]));
  return listLinks(body).map(({ isEntry, ...link }, at) => ({
    // Drafts may have an edge twice.
    id: `${at} ${link.from} ${link.case ?? ""} ${link.to}`,
    type: "link",
    source: link.from,
    target: link.to,
    sourceHandle: toHandle(link.case),
    focusable: false,
    data: {
      case: link.case,
      isEntry,
      targetHalfPx: (heights.get(link.to) ?? 0) / 2,
      ...toLook(link),
    },
  }));
}
