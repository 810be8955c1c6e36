import { createContext } from "react";
import type { Edge, Position } from "../graph/body.ts";
import type { InsertPoint } from "../graph/commands.ts";
import type { Spot } from "./canvas-props.ts";

/** What the parts of the graph can ask for. */
export type CanvasActions = {
  isReadOnly: boolean;
  onAddAfter: (place: InsertPoint, spot: Spot) => void;
  onDisconnect: (edge: Edge) => void;
  onResize: (id: string, size: Position) => void;
};

export const CanvasContext = createContext<CanvasActions>({
  isReadOnly: true,
  onAddAfter: () => {},
  onDisconnect: () => {},
  onResize: () => {},
});
