import { hubCallerId } from "@hub/contract/hub-caller.ts";
import type { InnerCalls, Run, RunSource, RunStatus } from "@hub/contract/run.ts";
import { formatNumber } from "./format.ts";

/** The outcomes of calls in words. */
export const statusNames: Readonly<Record<RunStatus, string>> = {
  success: "Success",
  error: "Error",
  denied: "Denied",
  cancelled: "Cancelled",
  running: "Running",
};

/** What makes calls, in one word. */
export const sourceNames: Readonly<Record<RunSource, string>> = {
  mcp: "Client",
  test: "Test",
  retry: "Retry",
  workflow: "Workflow",
};

const sourceTexts: Readonly<Record<RunSource, string>> = {
  mcp: "A client",
  test: "A page of the hub, or its API",
  retry: "A retry",
  workflow: "A workflow",
};

/** What the hub itself asks of a row, recorded among its calls. */
const ofHub: ReadonlyMap<string, string> = new Map([
  ["hub.health", "Health check"],
  ["hub.discover", "Discovery"],
  ["hub.lookup", "Look-up of values"],
  ["hub.servers", "Reading of servers"],
]);
const hubName = "The hub";

type Called = { operation_key: string };
type Made = { user_id: string };

/** What people read for the operation of a call: its key, or in words what the hub asked of the row. */
export function toCallName({ operation_key: key }: Called): string {
  return ofHub.get(key) ?? key;
}

/** Who made a call. What the hub asks by its timer has no user. */
export function toCaller({ user, user_id: id }: Made & { user: string | null }): string {
  return user ?? (id === hubCallerId ? hubName : "Deleted user");
}

/** What made a call, in one word or the name of the client. */
export function toClient(call: Made & { source: RunSource; client: string | null }): string {
  const { source, client } = call;
  if (call.user_id === hubCallerId) return hubName;
  return source === "mcp" ? (client ?? sourceNames.mcp) : sourceNames[source];
}

/** Where a call comes from. The records of the hub's own calls have the source of tests. */
export function describeSource({ source, user_id: id }: Made & { source: RunSource }): string {
  return id === hubCallerId ? hubName : sourceTexts[source];
}

/** "1 call", "30 calls". */
export function toCallCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? "call" : "calls"}`;
}

/** Whether a message of several calls, or a script, made the call. */
export function isInner({ cause: { kind } }: Pick<Run, "cause">): boolean {
  return kind === "batch" || kind === "script";
}

/** What made one of several calls, in words; null for other calls. */
export function toMaker({ cause: { kind } }: Pick<Run, "cause">): string | null {
  if (kind === "batch") return "a message of several calls";
  return kind === "script" ? "a script" : null;
}

/** What tells a call from others: its argument, or the number of calls in it. The hub's own questions have neither. */
export function toCallArgument(
  call: Called & { argument: string | null; calls?: InnerCalls | undefined },
): string | null {
  if (call.calls !== undefined) return toCallCount(call.calls.total);
  return ofHub.has(call.operation_key) ? null : call.argument;
}
