import type { ReactFlowInstance } from "@xyflow/react";
import type { KeyboardEvent } from "react";
import { fitOptions } from "./choose-start.ts";

type Flow = Pick<ReactFlowInstance, "zoomIn" | "zoomOut" | "zoomTo" | "fitView">;

const zooms: Readonly<Record<string, (flow: Flow) => Promise<boolean>>> = {
  "+": (flow) => flow.zoomIn(),
  // The key of the plus on many keyboards, without Shift.
  "=": (flow) => flow.zoomIn(),
  "-": (flow) => flow.zoomOut(),
  "0": (flow) => flow.zoomTo(1),
  "1": (flow) => flow.fitView(fitOptions),
};

type Keys = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** Changes how large the graph is drawn. Is false for other keys, and for those that zoom the browser's page. */
export function zoomByKey({ key, ctrlKey, metaKey, altKey }: Keys, flow: Flow): boolean {
  const zoom = Object.hasOwn(zooms, key) ? zooms[key] : undefined;
  if (zoom === undefined || ctrlKey || metaKey || altKey) return false;
  void zoom(flow);
  return true;
}
