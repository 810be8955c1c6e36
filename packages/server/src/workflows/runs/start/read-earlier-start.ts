import { type Json, parseJson } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { WorkflowRunRecord } from "../../../store/workflow-runs/workflow-run-columns.ts";
import { readRunEvent } from "../../../store/workflow-runs/workflow-runs-table.ts";
import type { RunRequest } from "../../engine/accept/prepare-run.ts";
import type { Plan } from "../../engine/plan.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";

/** The trigger and the event of an earlier run, for a new run by this body. */
export async function readEarlierStart(
  { store }: Pick<RunVerbDeps, "store">,
  plan: Plan,
  run: WorkflowRunRecord,
  { isEntryNeeded = true }: { isEntryNeeded?: boolean } = {},
): Promise<Pick<RunRequest, "trigger" | "payload" | "raw" | "source" | "user" | "eventAt">> {
  const stored = await readRunEvent(store.db, run.id);
  if (stored === null || run.state === "dropped") {
    throw new HubError("conflict", "The event of this run was not kept, so it cannot run again.");
  }
  const known = plan.body.triggers.find(({ id }) => id === run.triggerId);
  if (known === undefined && isEntryNeeded) {
    throw new HubError(
      "conflict",
      `The workflow has no trigger "${run.triggerId}" any more, which started this run.`,
    );
  }
  const trigger = known ?? { id: run.triggerId, type: run.triggerType, entry: run.entry };
  // Safe: the engine wrote it.
  const event = parseJson(stored.event) as {
    Payload: Json;
    Source: string | null;
    User: string | null;
    At: string;
  };
  return {
    // Safe: the type of a trigger is stored as it was in the body.
    trigger: trigger as RunRequest["trigger"],
    payload: event.Payload,
    ...(stored.raw !== null && { raw: stored.raw }),
    source: event.Source,
    user: event.User,
    eventAt: event.At,
  };
}
