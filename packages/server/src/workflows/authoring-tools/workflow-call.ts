import type { Caller } from "../../caller.ts";
import type { ConnectorCall } from "../../connectors/connector-port.ts";

/** What the connector gets of each call, in addition to the public context. */
export type WorkflowCall = {
  caller: Caller;
  /** The plaintexts of value tokens in the params. */
  secrets: readonly string[];
  /** Whether a node of a workflow makes the call. */
  isFromWorkflow: boolean;
  /** The network address of the client; null over stdio and in runs of workflows. */
  ip: string | null;
  /** Aborts when the client leaves or the call has had its time. */
  signal: AbortSignal;
  /** Ids of the other hubs that the call has passed. */
  hubs: readonly string[];
};

export function toWorkflowCall({
  caller,
  secrets,
  isFromWorkflow = false,
  ip = null,
  signal,
  hubs = [],
}: ConnectorCall): WorkflowCall {
  return { caller, secrets, isFromWorkflow, ip, signal, hubs };
}
