import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import { isServed, queuedNote } from "../runs/start/is-served.ts";
import { replayRun } from "../runs/start/replay-run.ts";
import { awaitOutcome } from "../runs/start/start-run.ts";
import type { OperationDeps } from "./define-operation.ts";
import { checkNotFromWorkflow, findTrialEnd } from "./model-rights.ts";
import { toWaitMs } from "./run-now.ts";
import { checkOwnsDraft } from "./save-own-draft.ts";
import type { WorkflowCall } from "./workflow-call.ts";

type Replay = { workflow: string; run: string; isDraft: boolean; waitS: number };

/** Starts a run with an earlier event for a model. */
export async function replayNow(
  deps: OperationDeps,
  call: WorkflowCall,
  { workflow, run, isDraft, waitS }: Replay,
): Promise<WorkflowOutcome & { note?: string }> {
  checkNotFromWorkflow(call);
  const waitMs = toWaitMs(waitS);
  if (isDraft) await checkOwnsDraft(deps, call, workflow);
  const started = await replayRun(
    deps,
    call.caller,
    { workflow, run },
    {
      isDraft,
      hubs: call.hubs,
      ...(isDraft && { endsAt: findTrialEnd(deps, call) }),
    },
  );
  if (!(await isServed(deps))) return { ...started, note: queuedNote };
  if (waitMs === 0) return started;
  const { caller } = call;
  const awaited = { caller, workflow: { id: workflow }, runId: started.run_id, waitMs };
  return await awaitOutcome(deps, await deps.openWorkflows(), awaited);
}
