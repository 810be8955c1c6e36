import { manualTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { Caller } from "../../caller.ts";
import { loadWorkflow, mayStart } from "../record/access.ts";
import { loadBody } from "../record/body-text.ts";
import { describePayload } from "../triggers/payload-schemas.ts";
import type { RunVerbDeps } from "./run-deps.ts";

export type ManualTriggerInfo = {
  id: string;
  label: string | null;
  /** A JSON Schema. */
  payload_schema: unknown;
};

/** The manual triggers of the published body, for callers who may start them. */
export async function listManualTriggers(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  id: string,
): Promise<ManualTriggerInfo[]> {
  const workflow = await loadWorkflow(store.db, caller, id, "see");
  if (workflow.publishedBodyId === null || !mayStart(caller, workflow)) return [];
  const { triggers } = Object(await loadBody(store.db, workflow.publishedBodyId));
  const list: unknown[] = Array.isArray(triggers) ? triggers : [];
  return list.flatMap((trigger) => {
    const { success, data } = manualTriggerSchema.safeParse(trigger);
    if (!success) return [];
    const { id, label = null } = data;
    return [{ id, label, payload_schema: describePayload(data) }];
  });
}
