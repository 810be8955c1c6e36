import type { IconName } from "@hub/contract/icons.ts";
import type { ItemState } from "../graph/flow.ts";

export const stateNames: Readonly<Record<ItemState, string>> = {
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  // Only steps that are switched off are skipped.
  skipped: "Switched off",
  waiting: "Waiting",
  cancelled: "Cancelled",
  unknown: "Unknown",
};

export const stateIcons: Readonly<Record<ItemState, IconName>> = {
  running: "refresh",
  succeeded: "check",
  failed: "close",
  skipped: "right",
  waiting: "clock",
  cancelled: "stop",
  unknown: "stop",
};
