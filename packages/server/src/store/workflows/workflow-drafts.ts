import { type Db, type Transaction, transaction } from "../database/database.ts";
import {
  addBodyEditor,
  endTrial,
  insertBody,
  type NewBody,
  removeUnusedBodies,
} from "./workflow-bodies.ts";
import { setColumns } from "./workflow-changes.ts";
import { findWorkflow, type WorkflowRecord } from "./workflows-table.ts";

export type SavedDraft = { body: NewBody; savedBy: string; at: number };

/**
 * Replaces the draft and increments its revision. The draft before is removed unless a version or a
 * run needs it. False if the workflow does not exist.
 */
export function putDraft(db: Db, id: string, { body, savedBy, at }: SavedDraft): Promise<boolean> {
  return transaction(db, async (trx) => {
    const present = await findWorkflow(trx, id);
    if (present === null) return false;
    await insertBody(trx, { ...body, workflowId: id, savedBy, createdAt: at });
    await setDraft(trx, present, { bodyId: body.id, savedBy, at });
    return true;
  });
}

/** The same with a body that is stored: of a version of the same workflow. */
export function restoreDraft(
  db: Db,
  id: string,
  { bodyId, savedBy, at }: { bodyId: string; savedBy: string; at: number },
): Promise<boolean> {
  return transaction(db, async (trx) => {
    const present = await findWorkflow(trx, id);
    if (present === null) return false;
    await addBodyEditor(trx, bodyId, savedBy);
    await endTrial(trx, bodyId);
    await setDraft(trx, present, { bodyId, savedBy, at });
    return true;
  });
}

async function setDraft(
  trx: Transaction,
  present: WorkflowRecord,
  { bodyId, savedBy, at }: { bodyId: string; savedBy: string; at: number },
): Promise<void> {
  await setColumns(trx, present.id, {
    draft_body_id: bodyId,
    draft_revision: present.draftRevision + 1,
    draft_saved_by: savedBy,
    draft_saved_at: at,
    updated_at: at,
  });
  await removeUnusedBodies(trx, [present.draftBodyId]);
}
