import type { WorkflowManualTrigger } from "@hub/contract/workflow-manual.ts";
import { manualTriggerSchema, type TriggerOf } from "@hub/contract/workflow-trigger.ts";
import type { Caller } from "../../../caller.ts";
import { toInputGroups } from "../../../connectors/field-groups.ts";
import { loadBody } from "../../definition/body-text.ts";
import { loadWorkflow, mayStart } from "../../definition/workflow-access.ts";
import { describePayload } from "../../triggers/payload-schemas.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";
import { toFields } from "./read-manual-payload.ts";

export type ManualTriggerInfo = {
  id: string;
  label: string | null;
  /** A JSON Schema. */
  payload_schema: unknown;
};

type Deps = Pick<RunVerbDeps, "store">;

/** The manual triggers of the published body, for callers who may start them. */
export async function listManualTriggers(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<ManualTriggerInfo[]> {
  return (await loadManualTriggers(deps, caller, id)).map((trigger) => ({
    id: trigger.id,
    label: trigger.label ?? null,
    payload_schema: describePayload(trigger),
  }));
}

/** The same with their forms, also of the draft for callers who manage the workflow. */
export async function showManualForms(
  deps: Deps,
  caller: Caller,
  id: string,
  { isDraft }: { isDraft: boolean },
): Promise<WorkflowManualTrigger[]> {
  return (await loadManualTriggers(deps, caller, id, { isDraft })).map((trigger) => ({
    id: trigger.id,
    label: trigger.label ?? null,
    takes_fields: trigger.input.length > 0,
    groups: toGroups(trigger),
  }));
}

/** A draft may have tags that are not valid. Its form is empty then, and a run says what is wrong. */
function toGroups(trigger: TriggerOf<"manual">): WorkflowManualTrigger["groups"] {
  try {
    return toInputGroups(toFields(trigger));
  } catch {
    return [];
  }
}

async function loadManualTriggers(
  { store }: Deps,
  caller: Caller,
  id: string,
  { isDraft = false }: { isDraft?: boolean } = {},
): Promise<Array<TriggerOf<"manual">>> {
  const workflow = await loadWorkflow(store.db, caller, id, isDraft ? "manage" : "see");
  const bodyId = isDraft ? workflow.draftBodyId : workflow.publishedBodyId;
  if (bodyId === null || !mayStart(caller, workflow)) return [];
  const { triggers } = Object(await loadBody(store.db, bodyId));
  const list: unknown[] = Array.isArray(triggers) ? triggers : [];
  return list.flatMap((trigger) => {
    const { success, data } = manualTriggerSchema.safeParse(trigger);
    return success ? [data] : [];
  });
}
