import type { Caller } from "../../caller.ts";

/** What the connector gets of each call, in addition to the public context. */
export type WorkflowCall = {
  caller: Caller;
  /** The plaintexts of value tokens in the params. */
  secrets: readonly string[];
  /** Whether a node of a workflow makes the call. */
  isFromWorkflow: boolean;
};
