import type { JsonSchema } from "@hub/connector";
import { manualTriggerSchema, type TriggerOf } from "@hub/contract/workflow-trigger.ts";
import { cleanDefinition } from "../../connectors/by-row/clean-discovery.ts";
import { SchemaRefusal } from "../../connectors/by-row/clean-schema.ts";
import type { StoredDefinition } from "../../store/rows/row-operations-table.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { listObjects } from "../definition/walk-body.ts";
import { toPayloadSchema } from "../runs/start/read-manual-payload.ts";
import { toolOperationKey } from "./tool-row.ts";

/** What the operation of a workflow's row needs to start it. */
export type ToolBinding = { trigger: string };

/** The trigger by which a body is offered as a tool. Null if there is none. */
export function findToolTrigger(body: unknown): TriggerOf<"manual"> | null {
  for (const trigger of listObjects(body, "triggers")) {
    const { success, data } = manualTriggerSchema.safeParse(trigger);
    if (success && data.as_tool) return data;
  }
  return null;
}

/**
 * The operation that starts a workflow by this trigger. Throws if the fields of the trigger make no
 * schema, or one that is larger than those of other operations may be.
 */
export function defineTool(
  { name, description }: Pick<WorkflowRecord, "name" | "description">,
  trigger: TriggerOf<"manual">,
): StoredDefinition {
  const binding: ToolBinding = { trigger: trigger.id };
  return cleanDefinition({
    sourceName: toolOperationKey,
    title: name,
    description: description || `Runs the workflow "${name}".`,
    inputSchema: toPayloadSchema(trigger),
    outputSchema,
    // Which operations its nodes call can change with each version.
    destructive: true,
    binding,
  });
}

/** Why a trigger makes no tool; completes the sentence "its input schema …". Null if it makes one. */
export function findToolFault(trigger: TriggerOf<"manual">): string | null {
  try {
    defineTool({ name: trigger.id, description: "" }, trigger);
    return null;
  } catch (thrown) {
    // Other faults of its fields are found by the check of these.
    return thrown instanceof SchemaRefusal ? thrown.message : null;
  }
}

const outputSchema: JsonSchema = {
  type: "object",
  properties: {
    run_id: { type: "string", description: "Id of the run of the workflow." },
    state: {
      type: "string",
      description: "succeeded, or how far the run is after 30 seconds: queued, running or waiting.",
    },
    output: { description: "The last output of a run that succeeded." },
    note: { type: "string", description: "What to do about a run that has not ended." },
  },
  required: ["run_id", "state"],
};
