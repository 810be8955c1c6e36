import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowRunEvent, WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { findCaller } from "../../identity/find-caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { listStepMarks, type StepMark } from "../../store/workflow-runs.ts";
import type { RunWatch } from "../engine/run-watch.ts";
import { findAccess } from "../record/access.ts";
import { loadRunOf } from "./load-run.ts";
import type { RunVerbDeps } from "./run-deps.ts";
import { toFlags, toRun } from "./show-runs.ts";

/** Commits that follow each other closely are read together, and the longer the run, the more of them. */
const pauseMsMin = 20;
const pauseMsPerStep = 0.2;

/**
 * The steps of a run as they are committed, those of the past first, and the run itself when it has
 * ended. Steps are only for those who may read the workflow. Rights are checked before each event, so
 * that one who loses them sees no more. When the signal aborts, ends after what is committed by then.
 */
export async function* followRun(
  deps: RunVerbDeps,
  caller: Caller,
  target: { workflow: string; run: string },
  signal: AbortSignal,
): AsyncGenerator<WorkflowRunEvent> {
  const { engine } = await deps.openWorkflows();
  const seen = new Map<string, string>();
  for (;;) {
    const change = awaitChange(engine.watch, target.run, signal);
    try {
      // The run first: if it has ended, its steps are all there.
      const reader = await findReader(deps, caller);
      const { workflow, run } = await loadRunOf(deps, reader, target, "see");
      const reads = findAccess(reader, workflow) === "manage";
      const marks = reads ? await listStepMarks(deps.store.db, run.id) : [];
      for (const mark of marks) if (isNew(seen, mark)) yield { step: toStepEvent(mark) };
      if (run.endedAt !== null) return yield { run: toRun(run, reads) };
      if (signal.aborted) return;
      await change.happened;
      await Bun.sleep(pauseMsMin + marks.length * pauseMsPerStep);
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

function isNew(seen: Map<string, string>, { nodeId, item, state, tries }: StepMark): boolean {
  const key = `${nodeId} ${item}`;
  const value = `${state} ${tries}`;
  if (seen.get(key) === value) return false;
  seen.set(key, value);
  return true;
}

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
    call_run_id: step.callRunId,
    child_run_id: step.childRunId,
    wake_at: toTime(step.wakeAt),
    started_at: toTime(step.startedAt),
    ended_at: toTime(step.endedAt),
  };
}
