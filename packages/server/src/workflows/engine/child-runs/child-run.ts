import type { Json } from "@hub/connector";
import { HubError } from "../../../errors.ts";

/** A run of another workflow that a node asks for. */
export type ChildRequest = {
  workflowId: string;
  payload: Json;
  /** Whether the node waits for its end. */
  waits: boolean;
};

export type ChildEnd =
  | { state: "succeeded"; output: Json }
  | { state: "failed" | "cancelled" | "dropped" | "unknown"; message: string };

/** The last output of the other run. Throws `run_failed` if it did not succeed. */
export function toChildOutput(end: ChildEnd): Json {
  if (end.state === "succeeded") return end.output;
  throw new HubError("run_failed", end.message);
}

export function refuseChild(workflowId: string): HubError {
  return new HubError(
    "rate_limited",
    `The workflow ${workflowId} has no capacity for another run. Try again later.`,
  );
}
