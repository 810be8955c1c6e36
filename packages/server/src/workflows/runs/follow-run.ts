import { toTimeText } from "@hub/contract/time.ts";
import {
  type WorkflowRunEvent,
  type WorkflowStepEvent,
  workflowStepStateSchema,
} from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { findCaller } from "../../identity/find-caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { readStepMarks, type StepMark } from "../../store/workflow-runs/workflow-steps.ts";
import { findAccess } from "../definition/workflow-access.ts";
import type { RunWatch } from "../engine/commit/run-watch.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";
import { toFlags, toRun, toSkipReason } from "./show-run.ts";

/** Commits that follow each other closely are read together, and the longer the run, the more of them. */
const pauseMsMin = 20;
const pauseMsPerStep = 0.2;

export type Following = {
  signal: AbortSignal;
  /** Waits for a permit before the next page of steps is read. Throws if the reader may read no more. */
  acquireRead?: () => Promise<void>;
};

/**
 * The steps of a run as they are committed, those of the past first and page by page, and the run itself when
 * it has ended. Steps are only for those who may read the workflow. Rights are checked before the steps are
 * read, so that one who loses them sees no more. When the signal aborts, ends after what is committed by then.
 */
export async function* followRun(
  deps: RunVerbDeps,
  caller: Caller,
  target: { workflow: string; run: string },
  { signal, acquireRead = async () => {} }: Following,
): AsyncGenerator<WorkflowRunEvent[]> {
  const { engine } = await deps.openWorkflows();
  const isNew = createNewsFilter();
  for (;;) {
    const change = awaitChange(engine.watch, target.run, signal);
    try {
      // The run first: if it has ended, its steps are all there.
      const reader = await findReader(deps, caller);
      const { workflow, run } = await loadPermittedRun(deps, reader, target, "see");
      const reads = findAccess(reader, workflow) === "manage";
      let count = 0;
      for await (const marks of reads ? readStepMarks(deps.store.db, run.id) : []) {
        count += marks.length;
        const news = marks.filter(isNew).map((mark) => ({ step: toStepEvent(mark) }));
        if (news.length > 0) yield news;
        await acquireRead();
      }
      if (run.endedAt !== null) return yield [{ run: toRun(run, reads) }];
      if (signal.aborted) return;
      await change.happened;
      await Bun.sleep(pauseMsMin + count * pauseMsPerStep);
    } finally {
      change.stop();
    }
  }
}

/** The caller as of this moment: without the role and the tags that were lost since the request. */
async function findReader({ store }: RunVerbDeps, caller: Caller): Promise<Caller> {
  if (caller.userId === LOCAL_ADMIN_ID) return caller;
  const reader = await findCaller(store, caller.userId);
  if (reader !== null) return reader;
  throw new HubError("not_found", "There is no such workflow.");
}

/** Says of each step whether its state is new. Kept as numbers by node, since a run may have many steps. */
function createNewsFilter() {
  const seen = new Map<string, Map<number, number>>();
  return ({ nodeId, item, state, tries }: StepMark): boolean => {
    const items = seen.get(nodeId) ?? new Map<number, number>();
    seen.set(nodeId, items);
    const value = tries * states.length + states.indexOf(state);
    if (items.get(item) === value) return false;
    items.set(item, value);
    return true;
  };
}

const states: readonly string[] = workflowStepStateSchema.options;

/** Subscribes before the run is read, so that no commit in between is missed. */
function awaitChange(watch: RunWatch, runId: string, signal: AbortSignal) {
  const { promise: happened, resolve } = Promise.withResolvers<void>();
  const onChange = () => resolve();
  const unsubscribe = watch.subscribe(runId, onChange);
  signal.addEventListener("abort", onChange, { once: true });
  return {
    happened,
    stop() {
      unsubscribe();
      signal.removeEventListener("abort", onChange);
    },
  };
}

function toStepEvent(step: StepMark): WorkflowStepEvent {
  const toTime = (at: number | null) => (at === null ? null : toTimeText(at));
  return {
    node_id: step.nodeId,
    item: step.item < 0 ? null : step.item,
    state: step.state,
    tries: step.tries,
    case: step.caseName,
    error: step.error === null ? null : JSON.parse(step.error),
    ...toFlags(step),
    skip_reason: toSkipReason(step),
    call_run_id: step.callRunId,
    child_run_id: step.childRunId,
    wake_at: toTime(step.wakeAt),
    started_at: toTime(step.startedAt),
    ended_at: toTime(step.endedAt),
  };
}
