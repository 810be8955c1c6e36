import type { Caller } from "../../caller.ts";
import type { Operation } from "../../connectors/connector-port.ts";
import { type ListedCall, toWorld, type World } from "./call.ts";
import type { Gate } from "./gate.ts";
import { gates, keptInCatalogues, operationSwitches, shownInLists } from "./gates.ts";

const listing: readonly Gate[] = [...gates.visibility, ...gates.access].filter(
  (gate) => !shownInLists.has(gate),
);
const kept = listing.filter((gate) => keptInCatalogues.has(gate));
const asked = listing.filter((gate) => !keptInCatalogues.has(gate));

/** Whether the caller may see a row or an operation in lists: whether a call of it would be admitted. */
export function isListed(world: World, call: ListedCall): boolean {
  return listing.every((gate) => gate(world, call).kind === "pass");
}

/**
 * Whether a catalogue has a row or an operation, for all callers of a role. `isShown` says which of
 * these rows one caller may see.
 */
export function isKept(
  world: World,
  role: Caller["role"],
  of: Omit<ListedCall, "path" | "caller">,
): boolean {
  const call: ListedCall = { ...of, path: "client", caller: { role, tags: noTags } };
  return kept.every((gate) => gate(world, call).kind === "pass");
}

/** Whether a caller sees a row of a catalogue in lists. The catalogue has asked its own gates already. */
export function isShown(world: World, call: ListedCall): boolean {
  for (const gate of asked) if (gate(world, call).kind !== "pass") return false;
  return true;
}

/** Whether the hub itself may use a row now: take the events of a channel, or keep its sessions. */
export function isRowOn(directory: World["directory"], row: ListedCall["row"]): boolean {
  return isListed(toWorld(hubDeps, directory), { path: "hub", caller: hub, row, connector: null });
}

/** Whether an operation is reviewed and enabled. Descriptions of rows that are off ask this. */
export function isOperationOn(row: ListedCall["row"], operation: Operation): boolean {
  const world = toWorld(hubDeps, { isTypeDisabled: () => false });
  const call: ListedCall = { path: "client", caller: hub, row, connector: null, operation };
  return operationSwitches.every((gate) => gate(world, call).kind === "pass");
}

const noTags: ReadonlySet<string> = new Set();
const hub = { role: "admin", tags: noTags } as const;
const hubDeps = { registry: { isAwaited: () => false }, now: Date.now };
