import type { Workflow, WorkflowDetail } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/visibility.ts";
import { type Page, type PageInput, readPage } from "../../lib/page.ts";
import { listWorkflowPage, type WorkflowFilter } from "../../store/workflows.ts";
import { findAccess, loadWorkflow, mayStart } from "./access.ts";
import { presentDetail, presentWorkflows } from "./present-workflow.ts";
import type { RecordDeps } from "./record-deps.ts";

export type WorkflowListInput = PageInput & {
  /** The id of a user. */
  owner?: string | undefined;
  tag?: string | undefined;
  /** A part of the name or id. */
  q?: string | undefined;
  state?: "published" | "draft" | "disabled" | "failing" | undefined;
};

/** One page of the workflows that the caller sees, newest first. */
export async function listWorkflows(
  { store }: Pick<RecordDeps, "store">,
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
  const { items, next } = await readPage(page, {
    keyType: "number",
    read: (after, limit) => {
      const start = after && { createdAt: Number(after.key), id: after.id };
      return listWorkflowPage(store.db, filter, { after: start, limit });
    },
    toCursor: ({ createdAt, id }) => ({ key: createdAt, id }),
  });
  return { items: await presentWorkflows(store.db, caller, items), next };
}

/** The newest workflows that the caller sees with these words in their name or id. */
export async function findWorkflowsByWords(
  { store }: Pick<RecordDeps, "store">,
  caller: Caller,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<Array<{ id: string; name: string; may_start: boolean; may_manage: boolean }>> {
  const filter = { ...toVisibleFilter(caller, {}), words };
  const found = await listWorkflowPage(store.db, filter, { limit });
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
  { store }: Pick<RecordDeps, "store">,
  caller: Caller,
  id: string,
): Promise<WorkflowDetail> {
  const workflow = await loadWorkflow(store.db, caller, id, "see");
  return await presentDetail(store.db, caller, workflow);
}
