import type { Json } from "@hub/connector";
import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowVersion } from "@hub/contract/workflow.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import type { Db } from "../../store/database/database.ts";
import { findUserStates } from "../../store/search/name-lookups.ts";
import {
  findVersion,
  listVersions as listStoredVersions,
  type WorkflowVersion as StoredVersion,
} from "../../store/workflows/workflow-versions-table.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadBody } from "./body-text.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { loadDifference } from "./load-difference.ts";
import { toUser } from "./present-workflow.ts";
import { toMissingVersion } from "./save-draft.ts";
import { loadWorkflow } from "./workflow-access.ts";

type ReadDeps = Pick<DefinitionDeps, "store">;

/** The kept versions, newest first. */
export async function listVersions(
  { store }: ReadDeps,
  caller: Caller,
  id: string,
): Promise<WorkflowVersion[]> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  return await presentVersions(store.db, workflow, await listStoredVersions(store.db, id));
}

/** A version with its body. */
export async function showVersion(
  { store }: ReadDeps,
  caller: Caller,
  id: string,
  version: number,
): Promise<WorkflowVersion & { body: unknown }> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const found = await findVersion(store.db, id, version);
  if (found === null) throw toMissingVersion();
  const [presented] = await presentVersions(store.db, workflow, [found]);
  if (presented === undefined) throw new Error("The list of one version is empty.");
  return { ...presented, body: await loadBody(store.db, found.bodyId) };
}

async function presentVersions(
  db: Db,
  { version: published, draftBodyId }: WorkflowRecord,
  versions: readonly StoredVersion[],
): Promise<WorkflowVersion[]> {
  const users = await findUserStates(
    db,
    versions.map(({ publishedBy }) => publishedBy),
  );
  return versions.map(({ version, bodyId, note, publishedBy, publishedAt }) => ({
    version,
    note,
    published_at: toTimeText(publishedAt),
    published_by: toUser(users, publishedBy),
    is_published: version === published,
    is_draft: bodyId === draftBodyId,
  }));
}

/** The number of a version, the published one, or the draft. */
const sideSchema = z.string().regex(/^(?:draft|published|[1-9]\d{0,8})$/, {
  error: "must be draft, published, or the number of a version.",
});
const diffSchema = z.strictObject({
  from: sideSchema.default("published"),
  to: sideSchema.default("draft"),
});

export type DiffInput = z.input<typeof diffSchema>;

/** What differs between two bodies of a workflow. */
export async function compareVersions(
  { store }: ReadDeps,
  caller: Caller,
  id: string,
  input: DiffInput = {},
) {
  const { from, to } = checkInput(diffSchema, input);
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const [before, after] = [
    await loadSide(store.db, workflow, from),
    await loadSide(store.db, workflow, to),
  ];
  return { from, to, difference: await loadDifference(before, after) };
}

async function loadSide(db: Db, workflow: WorkflowRecord, side: string): Promise<Json> {
  if (side === "draft") return await loadBody(db, workflow.draftBodyId);
  if (side !== "published") {
    const found = await findVersion(db, workflow.id, Number(side));
    if (found === null) throw toMissingVersion();
    return await loadBody(db, found.bodyId);
  }
  if (workflow.publishedBodyId !== null) return await loadBody(db, workflow.publishedBodyId);
  throw new HubError("conflict", "The workflow was never published.");
}
