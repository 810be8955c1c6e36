import { type Json, parseJson } from "@hub/connector";
import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowDetail, WorkflowOpened } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { transaction } from "../../store/database/database.ts";
import { findUserStates } from "../../store/search/name-lookups.ts";
import { putDraft, restoreDraft } from "../../store/workflows/workflow-drafts.ts";
import { deleteGonePins } from "../../store/workflows/workflow-pins.ts";
import { findVersion } from "../../store/workflows/workflow-versions-table.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadBody, toNewBody } from "./body-text.ts";
import { checkBody, checkNewBody } from "./check-body.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { loadDifference } from "./load-difference.ts";
import { presentDetail, toUser } from "./present-workflow.ts";
import { listObjects, listOpened } from "./walk-body.ts";
import { type Author, checkMayAuthor, loadWorkflow } from "./workflow-access.ts";

export const revisionSchema = z.int({ error: "must be the revision of the draft." });

const draftSchema = z.strictObject({
  /** The revision that the body was made from. */
  revision: revisionSchema,
  body: z.unknown(),
});

export type DraftInput = z.input<typeof draftSchema>;
export type SavedWorkflow = WorkflowDetail & { problems: WorkflowProblem[] };

/**
 * Replaces the draft. Errors of the body do not stop it. Throws `conflict` with the differences if
 * the draft has another revision.
 */
export async function saveDraft(
  deps: DefinitionDeps,
  { caller, actor, isModel }: Author,
  id: string,
  input: DraftInput,
  signal?: AbortSignal,
): Promise<SavedWorkflow> {
  const { store, config, now } = deps;
  const { revision, body } = checkInput(draftSchema, input);
  checkMayAuthor(config, caller);
  const at = now();
  const draft = toNewBody(body, { isModel, at });
  const stamp = stampChange(actor, at);
  const saved = await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    if (workflow.draftRevision !== revision) return null;
    await putDraft(trx, id, { body: draft, savedBy: actor.userId, at });
    await deleteGonePins(trx, id, listNodeIds(body));
    await recordChange(trx, stamp, {
      action: "workflow.save",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { revision: revision + 1 },
    });
    const changed = await loadWorkflow(trx, caller, id, "manage");
    return { changed, detail: await presentDetail(trx, caller, changed) };
  });
  if (saved === null) throw await refuseStale(deps, caller, id, parseJson(draft.text));
  const problems = await checkBody(deps, saved.changed, body, { purpose: "draft", signal });
  return { ...saved.detail, problems };
}

function listNodeIds(body: unknown): ReadonlySet<string> {
  return new Set(listObjects(body, "nodes").map(({ id }) => String(id)));
}

/** Says how the stored draft differs from the one that was not saved. */
async function refuseStale(
  { store }: DefinitionDeps,
  caller: Caller,
  id: string,
  body: Json,
): Promise<HubError> {
  const workflow = await loadWorkflow(store.db, caller, id, "manage");
  const { draftRevision, draftSavedBy, draftSavedAt } = workflow;
  const savedBy = toUser(await findUserStates(store.db, [draftSavedBy]), draftSavedBy);
  const stored = await loadBody(store.db, workflow.draftBodyId);
  return new HubError("conflict", describeStale(workflow, savedBy.email), {
    detail: {
      revision: draftRevision,
      saved_by: savedBy,
      saved_at: toTimeText(draftSavedAt),
      difference: await loadDifference(body, stored),
    },
  });
}

function describeStale({ draftRevision }: WorkflowRecord, savedBy: string): string {
  return `${savedBy} has saved the draft since you read it (revision ${draftRevision}). Read it again, then repeat your change.`;
}

/** Throws `conflict` if the draft has another revision. */
export function checkRevision(workflow: WorkflowRecord, revision: number): void {
  if (workflow.draftRevision === revision) return;
  throw new HubError(
    "conflict",
    `The draft has changed since you read it (revision ${workflow.draftRevision}). Read it again, then repeat your change.`,
    { detail: { revision: workflow.draftRevision } },
  );
}

const restoreSchema = z.strictObject({ revision: revisionSchema });

/** Makes the body of a version the draft. */
export async function restoreVersion(
  { store, config, now }: DefinitionDeps,
  { caller, actor }: Author,
  id: string,
  version: number,
  input: z.input<typeof restoreSchema>,
): Promise<WorkflowDetail> {
  const { revision } = checkInput(restoreSchema, input);
  checkMayAuthor(config, caller);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    const found = await findVersion(trx, id, version);
    if (found === null) throw toMissingVersion();
    checkRevision(workflow, revision);
    await restoreDraft(trx, id, { bodyId: found.bodyId, savedBy: actor.userId, at });
    await deleteGonePins(trx, id, listNodeIds(await loadBody(trx, found.bodyId)));
    await recordChange(trx, stamp, {
      action: "workflow.restore",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { version, revision: revision + 1 },
    });
    return await presentDetail(trx, caller, await loadWorkflow(trx, caller, id, "manage"));
  });
}

export function toMissingVersion(): HubError {
  return new HubError("not_found", "The workflow has no such version.");
}

export type ValidatedBody = { problems: WorkflowProblem[]; opened: WorkflowOpened[] };

const validateSchema = z.strictObject({ body: z.unknown().optional() });

/** What stops the publication of a body, and what others could call through it. Without a body, of the draft. */
export async function validateWorkflow(
  deps: DefinitionDeps,
  caller: Caller,
  id: string,
  input: z.input<typeof validateSchema> = {},
  signal?: AbortSignal,
): Promise<ValidatedBody> {
  const given = checkInput(validateSchema, input).body;
  const workflow = await loadWorkflow(deps.store.db, caller, id, "accept");
  const body = given === undefined ? await loadBody(deps.store.db, workflow.draftBodyId) : given;
  const problems = await checkBody(deps, workflow, body, { purpose: "publish", signal });
  return { problems, opened: listOpened(body) };
}

/** The same for a body that is not stored. */
export async function validateNewBody(
  deps: DefinitionDeps,
  caller: Caller,
  input: z.input<typeof validateSchema>,
  signal?: AbortSignal,
): Promise<ValidatedBody> {
  const { body } = checkInput(validateSchema, input);
  return { problems: await checkNewBody(deps, caller, body, signal), opened: listOpened(body) };
}
