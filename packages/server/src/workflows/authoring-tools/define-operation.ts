import type { OperationSource } from "@hub/connector";
import type { ChangeLimit } from "../../changes/change-limit.ts";
import type { Config } from "../../config.ts";
import type { DescribeDeps } from "../channels/describe-channels.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import type { RunVerbDeps } from "../runs/run-verb-deps.ts";
import type { WorkflowCall } from "./workflow-call.ts";

/** What the operations of the connector use. */
export type OperationDeps = RunVerbDeps &
  DescribeDeps &
  DefinitionDeps & {
    changes: ChangeLimit;
    config: Pick<Config, "encDisable" | "rowTokens" | "workflowMcp">;
    /** Where users open the pages of this hub. */
    findBaseUrl(): Promise<string>;
  };

/** Gives the params of an operation in a file of its own their types. */
export function defineOperation<Input>(
  source: OperationSource<Record<never, never>, Input, WorkflowCall>,
): OperationSource<Record<never, never>, Input, WorkflowCall> {
  return source;
}
