import type { KeyboardEvent, ReactNode } from "react";
import type { Body, Edge, Position } from "../graph/body.ts";
import type { InsertPoint } from "../graph/commands.ts";
import type { ItemLook, LinkLook } from "../graph/flow.ts";

type Positions = Readonly<Record<string, Position>>;

/** A place of the window at which something is asked for. */
export type Spot = {
  anchor: Pick<DOMRect, "left" | "top" | "right" | "bottom">;
  /** Where on the graph the new item is wanted. */
  position?: Position;
};

/** What the page does with a gesture on the canvas. */
export type CanvasEdits = {
  onMove: (positions: Positions) => void;
  onConnect: (edge: Edge) => void;
  onDisconnect: (edge: Edge) => void;
  onAddAfter: (place: InsertPoint, spot: Spot) => void;
  /** A dragged entry of the palette was dropped here, or on a connection. */
  onDrop: (data: string, at: Position, on: InsertPoint | null) => void;
  /** A node without connections was dropped on a connection. */
  onSplice: (id: string, place: InsertPoint, positions: Positions) => void;
  onResize: (id: string, size: Position) => void;
  onTidy: () => void;
};

export type CanvasProps = {
  /** Names the graph for screen readers. */
  label: string;
  body: Body;
  positions: Positions;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  toLook: (id: string) => ItemLook;
  toLinkLook?: (link: Edge) => LinkLook;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  /** Absent on a canvas that is only read. */
  edit?: CanvasEdits;
  /** On a small picture: what is visible at first. It has no map. */
  startAt?: readonly string[];
  /** Gets the canvas when it is ready. */
  onReady?: (flow: CanvasHandle) => void;
  children?: ReactNode;
};

/** What the page asks of the canvas. */
export type CanvasHandle = {
  /** The middle of what is visible. */
  findCentre(): Position;
  /** Moves the view as little as possible, so that an item is visible. */
  show(id: string): void;
  fit(): void;
};
