import type { RegisteredConnector } from "../../connectors/connector-port.ts";

/**
 * Whether calls of a row may have effects outside the hub. Only the hub's own tools have none: the calls of a script are
 * judged one by one.
 */
export function leadsOutside({ key, tier }: Pick<RegisteredConnector, "key" | "tier">): boolean {
  return !(tier === "builtin" && key === "hub");
}
