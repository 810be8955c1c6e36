import type { Caller } from "../../../caller.ts";
import { readStarterIds } from "../../../store/workflow-runs/read-starter-ids.ts";
import { toRunContext } from "../../engine/accept/run-context.ts";
import type { Plan } from "../../engine/plan.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import { refuseBusy } from "../start/refuse-busy.ts";
import { toStarterIds } from "../start/start-run.ts";
import { type Decisions, toSteps } from "./check-decisions.ts";
import { type Resumable, type ResumeDeps, refuseSecond } from "./find-resumable.ts";

/** Starts the run that goes on where a failed or cancelled one ended. */
export async function startResumedRun(
  deps: ResumeDeps,
  caller: Caller,
  found: Resumable,
  decided: Decisions,
): Promise<{ runId: string; again: string[] }> {
  const { workflows, workflow, run, before, after, plan, start, endsAt, hubs, bounds } = found;
  if (plan === null || start === null) throw new Error("A run that waits goes on itself");
  const { ended } = await toSteps(deps, caller, found, decided);
  const whole = new Set(ended.filter(({ item }) => item < 0).map(({ nodeId }) => nodeId));
  const version = after === before ? run.version : toVersion(workflow, after);
  const { generations } = plan;
  // A published body starts error triggers, also if it takes over from a run of the draft.
  const isQuiet = version === null && (run.version !== null || found.isQuiet) ? true : undefined;
  const { runId, acceptance } = await workflows.engine.accept({
    ...start,
    workflow,
    plan: after,
    version,
    errorDepth: run.errorDepth,
    chainDepth: run.chainDepth,
    nesting: run.nesting,
    startedBy: caller.email,
    starterIds: [...readStarterIds(run), ...toStarterIds(caller)],
    parentRunId: run.id,
    originRunId: run.originRunId ?? run.id,
    ...toRunContext({ generations, endsAt, isQuiet, hubs, bounds }),
    takeOver: {
      runId: run.id,
      isResume: true,
      flag: "taken_over",
      nodeIds: [...plan.taken],
      partNodeIds: [...plan.part].filter((id) => !whole.has(id)),
    },
    steps: ended,
  });
  if (acceptance.kind === "refused") throw refuseSecond(null);
  if (acceptance.kind === "dropped") throw refuseBusy(runId);
  const again = plan.again.filter((id) => !whole.has(id));
  return { runId, again };
}

function toVersion({ publishedBodyId, version }: KnownWorkflow, { bodyId }: Plan): number | null {
  return bodyId === publishedBodyId ? version : null;
}
