import type { Workflow, WorkflowDetail } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { type Page, type PageInput, parsePage } from "../../lib/input/page.ts";
import { toCursorText } from "../../lib/input/page-cursor.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../store/database/database.ts";
import {
  findWorkflowAt,
  listWorkflowPage,
  type WorkflowFilter,
  type WorkflowPosition,
  type WorkflowRecord,
} from "../../store/workflows/workflows-table.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { presentDetail, presentWorkflows } from "./present-workflow.ts";
import { findAccess, loadWorkflow, mayStart } from "./workflow-access.ts";

export type WorkflowListInput = PageInput & {
  /** The id of a user. */
  owner?: string | undefined;
  tag?: string | undefined;
  /** A part of the name or id. */
  q?: string | undefined;
  state?: "published" | "draft" | "disabled" | "failing" | undefined;
};

/** One page of the workflows that the caller sees, newest first. It has fewer if matches are rare. */
export async function listWorkflows(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  { owner, tag, q, state, ...page }: WorkflowListInput = {},
): Promise<Page<Workflow>> {
  const filter: WorkflowFilter = {
    ...toVisibleFilter(caller, { owner, tag }),
    ...(q !== undefined && q.trim() !== "" && { text: q.trim() }),
    ...(state === "disabled" && { isEnabled: false }),
    ...(state === "draft" && { isPublished: false }),
    ...(state === "failing" && { isFailing: true }),
    ...(state === "published" && { isPublished: true, isEnabled: true }),
  };
  const { limit, cursor } = parsePage(page, "number");
  const start = cursor && { createdAt: Number(cursor.key), id: cursor.id };
  const { found, end } = await scanWorkflows(store.db, filter, { after: start, limit });
  return {
    items: await presentWorkflows(store.db, caller, found),
    next: end === null ? null : toCursorText({ key: end.createdAt, id: end.id }),
  };
}

/** Workflows in one look, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 500;
/** Workflows that one page looks at. Rare matches are found over several pages. */
const scannedMax = 20_000;

/** `end` is the place after which the next page goes on; null if none is left. */
async function scanWorkflows(
  db: Db,
  filter: WorkflowFilter,
  { after: start, limit }: { after?: WorkflowPosition | undefined; limit: number },
): Promise<{ found: WorkflowRecord[]; end: WorkflowPosition | null }> {
  const found: WorkflowRecord[] = [];
  let after = start;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const rest = limit - found.length;
    const look = { after, limit: rest + 1, scannedMax: scannedAtOnce };
    const part = await listWorkflowPage(db, filter, look);
    found.push(...part.slice(0, rest));
    const last = found.at(-1);
    if (part.length > rest && last !== undefined) return { found, end: last };
    const end = await findWorkflowAt(db, after, scannedAtOnce - 1);
    if (end === null) return { found, end };
    after = end;
    await yieldToEventLoop();
  }
  return { found, end: after ?? null };
}

/** The newest workflows that the caller sees with these words in their name or id. */
export async function findWorkflowsByWords(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<Array<{ id: string; name: string; may_start: boolean; may_manage: boolean }>> {
  const filter = { ...toVisibleFilter(caller, {}), words };
  const { found } = await scanWorkflows(store.db, filter, { limit });
  return found.map((workflow) => ({
    id: workflow.id,
    name: workflow.name,
    may_start: mayStart(caller, workflow),
    may_manage: findAccess(caller, workflow) === "manage",
  }));
}

/** Users filter only by what they see: their own workflows, and tags that they have. */
function toVisibleFilter(
  caller: Caller,
  { owner, tag }: Pick<WorkflowListInput, "owner" | "tag">,
): WorkflowFilter {
  const visibleTags = toVisibleTags(caller);
  if (visibleTags === undefined) return { ownerId: owner, tag };
  const tags = [...visibleTags];
  const visibleTo = { userId: caller.userId, tags };
  // The filter by owner finds no others' workflows, because their owner is not shown.
  const ownerId = owner === undefined || owner === caller.userId ? owner : "";
  return { visibleTo, ownerId, tag: tag === undefined || tags.includes(tag) ? tag : "" };
}

/** A workflow as the caller sees it. */
export async function showWorkflow(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  id: string,
): Promise<WorkflowDetail> {
  const workflow = await loadWorkflow(store.db, caller, id, "see");
  return await presentDetail(store.db, caller, workflow);
}
