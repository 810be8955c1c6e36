import type { OperationSource } from "@hub/connector";
import type { DescribeDeps } from "../channels/describe-channels.ts";
import type { RunNowDeps } from "./run-now.ts";
import type { WorkflowCall } from "./workflow-call.ts";

/** What the operations of the connector use. */
export type OperationDeps = RunNowDeps & DescribeDeps;

/** Gives the params of an operation in a file of its own their types. */
export function defineOperation<Input>(
  source: OperationSource<Record<never, never>, Input, WorkflowCall>,
): OperationSource<Record<never, never>, Input, WorkflowCall> {
  return source;
}
