import { parseJson } from "@hub/connector";
import type { RuleDecide } from "@hub/contract/call-rule.ts";
import { type ChangeRecord, listChanges } from "../../store/changes-table.ts";
import type { Db } from "../../store/database/database.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { listInvolved, withOwners } from "./list-involved.ts";

export type AskedCall = {
  /** As whom the call acts: its caller, or the owner of the workflow. */
  userId: string;
  /** The run of a workflow whose step made the call. */
  workflowRunId: string | null;
};

/**
 * Who may not decide a call that "others" have to decide, as it is when it is asked: its caller, which of a workflow is
 * the owner, and the starters and editors of its run. Ids, each once.
 */
export async function listExcluded(
  db: Db,
  { userId, workflowRunId }: AskedCall,
): Promise<string[]> {
  const run = workflowRunId === null ? null : await findWorkflowRun(db, workflowRunId);
  if (run === null) return await withOwners(db, [userId]);
  const { starterIds, editorIds } = await listInvolved(db, run);
  return await withOwners(db, [userId, run.ownerId, ...starterIds, ...editorIds]);
}

export type AskedRule = {
  rowId: string;
  decide: RuleDecide;
  /** Of the question; epoch ms of the shared clock. */
  askedAt: number;
  /** From `listExcluded`. */
  excluded: readonly string[];
};

/**
 * Who was added to them since the question: those who changed a rule of the row, those who gave a deciding tag, and those who
 * got one from a person who may not decide. Otherwise an admin who may not decide would make an approver.
 */
export async function listExcludedSince(db: Db, asked: AskedRule): Promise<string[]> {
  return pickExcluded(await listDeciderChanges(db, asked.askedAt), asked);
}

/** What `listExcludedSince` reads, for several questions. */
export async function listDeciderChanges(db: Db, since: number): Promise<ChangeRecord[]> {
  const changes: ChangeRecord[] = [];
  for await (const change of readChangesSince(db, since)) changes.push(change);
  return changes;
}

/** The same as `listExcludedSince`, from changes of `listDeciderChanges` that go back to the question. */
export function pickExcluded(
  changes: readonly ChangeRecord[],
  { rowId, decide, askedAt, excluded }: AskedRule,
): string[] {
  const tags = decide.by === "tags" ? decide.tags : [];
  const former = new Set(excluded);
  const since = new Set<string>();
  for (const change of changes) {
    if (change.changedAt < askedAt) continue;
    if (change.action.startsWith("rule.") && change.targetId === rowId) since.add(change.actorId);
    if (change.targetKind !== "user") continue;
    const given = listGivenTags(change.detail);
    if (!tags.some((tag) => given.has(tag))) continue;
    since.add(change.actorId);
    if (former.has(change.actorId)) since.add(change.targetId);
  }
  return [...since];
}

const changesAtOnce = 1_000;

/** Of other changes a day may have millions, such as saves of drafts. */
async function* readChangesSince(db: Db, changedFrom: number): AsyncGenerator<ChangeRecord> {
  let before: string | undefined;
  for (;;) {
    const changes = await listChanges(db, {
      changedFrom,
      isOfDeciders: true,
      limit: changesAtOnce,
      ...(before !== undefined && { before }),
    });
    yield* changes;
    before = changes.at(-1)?.id;
    if (changes.length < changesAtOnce) return;
  }
}

/** The tags that a change of a user has added: `tags` is a list for a new user, else {from, to}. */
function listGivenTags(detail: string): Set<string> {
  const tags: unknown = Object(parseJson(detail)).tags;
  if (Array.isArray(tags)) return new Set(tags);
  const { from, to }: { from?: unknown; to?: unknown } = Object(tags);
  if (!Array.isArray(to)) return new Set();
  const before = new Set(Array.isArray(from) ? from : []);
  return new Set(to.filter((tag) => !before.has(tag)));
}
