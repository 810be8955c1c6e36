import type { Json } from "@hub/connector";
import { type WorkflowTrigger, workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { Transaction } from "../../store/database/database.ts";
import {
  countTriggersOf,
  type IndexedTrigger,
  putTriggers,
} from "../../store/workflows/workflow-triggers.ts";

/** In the published workflows of one owner, of each type. */
export const triggersOfOwnerMax = 100;

const bodySchema = z.object({ triggers: z.array(workflowTriggerSchema).default([]) });

/** The triggers of a valid body, which are then found without reading the body. */
export function listIndexed(body: Json): IndexedTrigger[] {
  return bodySchema.parse(body).triggers.map(toIndexed);
}

function toIndexed(trigger: WorkflowTrigger): IndexedTrigger {
  const { id, type, entry } = trigger;
  const none = {
    schedule: null,
    timezone: null,
    catchUp: null,
    sourceWorkflow: null,
    severities: null,
    channel: null,
    event: null,
    match: null,
  };
  switch (type) {
    case "cron": {
      const { schedule, timezone = null, catch_up: catchUp } = trigger;
      return { ...none, id, type, entry, schedule, timezone, catchUp };
    }
    case "error": {
      const { source_workflow: sourceWorkflow, severity } = trigger;
      const severities = severity === undefined ? null : [severity].flat();
      return { ...none, id, type, entry, sourceWorkflow, severities };
    }
    case "channel": {
      const { channel, event, match } = trigger;
      return { ...none, id, type, entry, channel, event, match };
    }
    default:
      return { ...none, id, type, entry };
  }
}

/**
 * Makes these the triggers of a workflow, in the transaction of its publication. Throws `conflict` if its
 * owner then has too many.
 */
export async function publishTriggers(
  trx: Transaction,
  workflow: { id: string; ownerId: string },
  triggers: readonly IndexedTrigger[],
  at: number,
): Promise<void> {
  await checkTriggerCounts(trx, workflow, triggers);
  await putTriggers(trx, workflow.id, triggers, at);
}

/** Throws `conflict` if a user who owns the workflow with these triggers has too many. */
export async function checkTriggerCounts(
  trx: Transaction,
  { id, ownerId }: { id: string; ownerId: string },
  triggers: readonly Pick<IndexedTrigger, "type">[],
): Promise<void> {
  for (const type of ["cron", "error", "channel"]) {
    const added = triggers.filter((trigger) => trigger.type === type).length;
    if (added === 0) continue;
    const present = await countTriggersOf(trx, { ownerId, type, except: id });
    if (present + added <= triggersOfOwnerMax) continue;
    throw new HubError(
      "conflict",
      `The published workflows of an owner can have ${triggersOfOwnerMax} ${type} triggers. With this one, they have ${present + added}. Remove some of them first.`,
    );
  }
}
