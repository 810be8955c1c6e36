import type { WorkflowRun, WorkflowRunState } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { type Page, type PageInput, parsePage } from "../../lib/input/page.ts";
import { toCursorText } from "../../lib/input/page-cursor.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../store/database/database.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import {
  findRunAt,
  listWorkflowRuns,
  type WorkflowRunFilter,
} from "../../store/workflow-runs/workflow-runs-table.ts";
import { findAccess, loadWorkflow } from "../definition/workflow-access.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";
import { toRun } from "./show-run.ts";

export type RunListInput = PageInput & {
  state?: WorkflowRunState | undefined;
  triggerId?: string | undefined;
  /** Only runs that began at this time or later; epoch ms. */
  from?: number | undefined;
  /** Only runs that began before this time; epoch ms. */
  to?: number | undefined;
};

/** Runs in one scan, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 2_000;
/** Runs that one page scans at most. Rare matches are found over several pages. */
const scannedMax = 20_000;

/** One page of the runs of a workflow, newest first. It has fewer than the limit if matches are rare. */
export async function listRuns(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  workflowId: string,
  { limit, after, ...filter }: RunListInput = {},
): Promise<Page<WorkflowRun>> {
  const page = parsePage({ limit, after }, "string");
  const workflow = await loadWorkflow(store.db, caller, workflowId, "see");
  const reads = findAccess(caller, workflow) === "manage";
  const { runs, end } = await readRuns(
    store.db,
    { workflowId, ...filter, before: page.cursor?.id },
    page.limit,
  );
  return {
    items: runs.map((run) => toRun(run, reads)),
    next: end === null ? null : toCursorText({ key: end, id: end }),
  };
}

/** `end` is the run before which the next page goes on; null if none is left. */
async function readRuns(
  db: Db,
  filter: WorkflowRunFilter,
  limit: number,
): Promise<{ runs: WorkflowRunRecord[]; end: string | null }> {
  const runs: WorkflowRunRecord[] = [];
  let { before } = filter;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const span = { ...filter, before };
    const rest = limit - runs.length;
    const found = await listWorkflowRuns(db, {
      ...span,
      limit: rest + 1,
      scannedMax: scannedAtOnce,
    });
    runs.push(...found.slice(0, rest));
    if (found.length > rest) return { runs, end: runs.at(-1)?.id ?? null };
    const end = await findRunAt(db, span, scannedAtOnce - 1);
    if (end === null) return { runs, end };
    before = end;
    await yieldToEventLoop();
  }
  return { runs, end: before ?? null };
}
