import type {
  WorkflowApproval,
  WorkflowApprovalDetail,
  WorkflowApprovalState,
} from "@hub/contract/workflow-approval.ts";
import type { Caller } from "../../caller.ts";
import type { FreshSignIn } from "../../identity/fresh-sign-in.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { type Page, type PageInput, parsePage } from "../../lib/input/page.ts";
import { toCursorText } from "../../lib/input/page-cursor.ts";
import { scannedAtOnce, scannedMax } from "../../lib/input/scan-page.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import type { ApprovalReader } from "../../store/workflow-runs/approval-readers.ts";
import { type ApprovalPosition, listPositions } from "../../store/workflow-runs/approval-spans.ts";
import type { ApprovalMark } from "../../store/workflow-runs/workflow-approval-records.ts";
import {
  type ApprovalFilter,
  countApprovals as countStored,
  findApproval,
  isApproverOf,
  listApprovals as listStored,
} from "../../store/workflow-runs/workflow-approvals-table.ts";
import { findWorkflow, listWorkflowPage } from "../../store/workflows/workflows-table.ts";
import { findAccess } from "../definition/workflow-access.ts";
import type { OpenWorkflows } from "../workflows.ts";
import { refuseUnknown } from "./approval-rules.ts";
import { presentApproval, presentListed } from "./present-approval.ts";

/** The dependencies of the verbs on approvals. */
export type ApprovalDeps = {
  store: Store;
  ring: Pick<RingHolder, "current">;
  now(): number;
  freshSignIn: FreshSignIn;
  openWorkflows: OpenWorkflows;
};

type ReadDeps = Pick<ApprovalDeps, "store" | "now">;

export type ApprovalListInput = PageInput & {
  state?: WorkflowApprovalState | undefined;
  workflowId?: string | undefined;
  runId?: string | undefined;
  /** Only those that wait no longer. */
  isDecided?: boolean | undefined;
  /** Only those that the caller is an approver of. */
  isMine?: boolean | undefined;
  /** Only those that the caller may decide now. */
  isDecidable?: boolean | undefined;
};

/** Their values are up to 10 KiB each. */
const presentedAtOnce = 200;
/** The number of waiting approvals is counted up to this. */
const waitingMax = 1_000;

/** One page of the approvals that the caller may see, newest first. It has fewer if matches are rare. */
export async function listApprovals(
  { store, now }: ReadDeps,
  caller: Caller,
  {
    limit,
    after,
    isMine = false,
    isDecided = false,
    isDecidable = false,
    ...filter
  }: ApprovalListInput = {},
): Promise<Page<WorkflowApproval>> {
  const page = parsePage({ limit, after }, "number");
  const reader = toReader(caller);
  const { cursor } = page;
  const { approvals, end } = await readApprovals(
    { db: store.db, reader },
    {
      ...filter,
      ...(isDecided && { decidedBy: now() }),
      ...(isDecidable && { ...toDecidable(caller, now()), state: filter.state ?? "pending" }),
      ...(caller.role !== "admin" && { visibleTo: reader }),
      ...(isMine && { approver: reader }),
    },
    cursor && { createdAt: Number(cursor.key), id: cursor.id },
    page.limit,
  );
  const ids = [...new Set(approvals.map(({ workflowId }) => workflowId))];
  const workflows = await readWorkflows(store.db, ids);
  const items: WorkflowApproval[] = [];
  const isLocal = caller.userId === LOCAL_ADMIN_ID;
  const reading = { userId: caller.userId, isLocal, isAdmin: caller.role === "admin" };
  for (const approval of approvals) {
    const workflow = workflows.get(approval.workflowId);
    if (workflow === undefined) continue;
    const { isApprover } = approval;
    items.push(presentListed(approval, { ...reading, workflow, at: now(), isApprover }));
    if (items.length % presentedAtOnce === 0) await yieldToEventLoop();
  }
  return { items, next: end === null ? null : toCursorText({ key: end.createdAt, id: end.id }) };
}

/** How many approvals the caller may decide now: at most 1,000, and of the newest 20,000 that wait for the caller. */
export async function countWaitingApprovals(
  { store: { db }, now }: ReadDeps,
  caller: Caller,
): Promise<number> {
  const filter = { state: "pending", ...toDecidable(caller, now()) } as const;
  let count = 0;
  for await (const { ids } of listSpans(db, filter, undefined)) {
    count += await countStored(db, filter, ids);
    if (count >= waitingMax) return waitingMax;
  }
  return count;
}

function toDecidable(caller: Caller, at: number): ApprovalFilter {
  const { userId } = caller;
  // The local admin need not be an approver.
  const approver = userId === LOCAL_ADMIN_ID ? undefined : toReader(caller);
  return { approver, decider: { userId, at } };
}

/** An approval for its approvers, the owner of the workflow and admins. */
export async function showApproval(
  { store, now }: ReadDeps,
  caller: Caller,
  id: string,
): Promise<WorkflowApprovalDetail> {
  const approval = await findApproval(store.db, id);
  const workflow = approval && (await findWorkflow(store.db, approval.workflowId));
  if (approval === null || workflow === null) throw refuseUnknown();
  const { userId, role } = caller;
  const isApprover = await isApproverOf(store.db, id, toReader(caller));
  if (!isApprover && role !== "admin" && workflow.ownerId !== userId) throw refuseUnknown();
  const isLocal = userId === LOCAL_ADMIN_ID;
  return await presentApproval(store.db, approval, {
    workflow,
    at: now(),
    userId,
    isLocal,
    isApprover,
    isAdmin: role === "admin",
    viewer: caller,
    seesWorkflow: findAccess(caller, workflow) !== null,
  });
}

function toReader({ userId, email, tags }: Caller): ApprovalReader {
  return { userId, email, tags: [EVERYONE_TAG, ...tags] };
}

type Listed = ApprovalMark & { isApprover: boolean };

async function readApprovals(
  { db, reader }: { db: Db; reader: ApprovalReader },
  filter: ApprovalFilter,
  start: ApprovalPosition | undefined,
  limit: number,
): Promise<{ approvals: Listed[]; end: ApprovalPosition | null }> {
  const approvals: Listed[] = [];
  let end: ApprovalPosition | null = null;
  for await (const span of listSpans(db, filter, start)) {
    const rest = limit - approvals.length;
    const found = await listStored(db, filter, reader, { ids: span.ids, limit: rest + 1 });
    approvals.push(...found.slice(0, rest));
    const last = approvals.at(-1);
    if (found.length > rest && last !== undefined) return { approvals, end: last };
    end = span.end;
  }
  return { approvals, end };
}

/** The ids of the approvals after a position, some at a time. `end` is the position of the last one; null if none is left. */
async function* listSpans(
  db: Db,
  filter: ApprovalFilter,
  start: ApprovalPosition | undefined,
): AsyncGenerator<{ ids: string[]; end: ApprovalPosition | null }> {
  let after = start;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const found = await listPositions(db, filter, { after, limit: scannedAtOnce + 1 });
    const span = found.slice(0, scannedAtOnce);
    const end = found.length > scannedAtOnce ? (span.at(-1) ?? null) : null;
    if (span.length > 0) yield { ids: span.map(({ id }) => id), end };
    if (end === null) return;
    after = end;
    await yieldToEventLoop();
  }
}

/** Workflows in one statement. */
const partMax = 500;

async function readWorkflows(db: Db, ids: readonly string[]) {
  const found = new Map<string, { id: string; name: string }>();
  for (let start = 0; start < ids.length; start += partMax) {
    const part = ids.slice(start, start + partMax);
    const page = await listWorkflowPage(db, { ids: part }, { limit: partMax });
    for (const workflow of page) found.set(workflow.id, workflow);
  }
  return found;
}
