import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import { readStarterIds } from "../../../store/workflow-runs/read-starter-ids.ts";
import { readRunEvent } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { readRunContext, toRunContext } from "../../engine/accept/run-context.ts";
import { findOwner } from "../../engine/child-runs/run-links.ts";
import { checkSentTokens } from "../../engine/secrets/check-sent-tokens.ts";
import { loadPermittedRun } from "../load-permitted-run.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";
import { toDryRun } from "./dry-run-request.ts";
import { readEarlierStart } from "./read-earlier-start.ts";
import { checkUnbound, toStarterIds } from "./start-run.ts";

export type ReplayInput = {
  isDraft?: boolean | undefined;
  /** Whether a failure of a run of the draft starts error triggers. The default is false. */
  firesErrors?: boolean | undefined;
  /** Whether the new run is a dry run. The outputs of the earlier one stand in for what is not called. */
  isDryRun?: boolean | undefined;
  /** When the run ends at the latest, if it is a trial. */
  endsAt?: number | undefined;
  /** Ids of the other hubs that the call has passed. */
  hubs?: readonly string[] | undefined;
};

/** Starts a new run with the event of an earlier one, by the published body or by the draft. */
export async function replayRun(
  deps: RunVerbDeps,
  caller: Caller,
  { workflow: id, run: runId }: { workflow: string; run: string },
  { isDraft = false, firesErrors = false, isDryRun = false, endsAt, hubs }: ReplayInput = {},
): Promise<WorkflowOutcome> {
  const { run, workflow: record } = await loadPermittedRun(
    deps,
    caller,
    { workflow: id, run: runId },
    "manage",
  );
  if (isDraft || isDryRun) checkUnbound(caller);
  const { directory, engine, findCaller } = await deps.openWorkflows();
  const workflow = await directory.find(id);
  // The directory need not know of a draft that was saved since.
  const bodyId = isDraft ? record.draftBodyId : workflow?.publishedBodyId;
  if (workflow === null || bodyId == null) {
    throw new HubError(
      "conflict",
      "The workflow is not published. Publish it, or replay the draft.",
    );
  }
  await findOwner({ directory, findCaller }, { workflowId: id, ownerId: workflow.ownerId });
  const plan = await engine.plans.load(bodyId);
  // It happens now, but for the rest it is the event of the earlier run.
  const { eventAt: _, ...start } = await readEarlierStart(deps, plan, run);
  // The tokens of a former owner are no tokens of this owner.
  if (run.ownerId !== workflow.ownerId) {
    const { payload, raw } = start;
    checkSentTokens(deps.ring.current(), { payload, raw });
  }
  const isQuiet = isDraft && !firesErrors ? true : undefined;
  // Also for a caller without bounds: what a bound token has started stays within them.
  const { bounds } = readRunContext((await readRunEvent(deps.store.db, runId))?.context ?? null);
  const asked = { caller, workflow, plan };
  const dryRunMembers = isDryRun
    ? await toDryRun(deps, asked, { dry_run: true, pins_from: runId })
    : {};
  const { runId: started, acceptance } = await engine.accept({
    ...start,
    ...dryRunMembers,
    ...toRunContext({ ...dryRunMembers.context, endsAt, isQuiet, hubs, bounds }),
    workflow,
    plan,
    version: isDraft ? null : workflow.version,
    user: caller.email,
    startedBy: caller.email,
    starterIds: [...readStarterIds(run), ...toStarterIds(caller)],
    parentRunId: runId,
  });
  const state = acceptance.kind === "dropped" ? "dropped" : "queued";
  return { run_id: started, state, output: null, error: null };
}
