import { type Json, parseJson } from "@hub/connector";
import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { readRunEvent } from "../../store/workflow-runs.ts";
import { readStarterIds } from "../engine/prepare-run.ts";
import { findOwner } from "../engine/run-links.ts";
import { checkSentTokens } from "../engine/sent-tokens.ts";
import { loadRunOf } from "./load-run.ts";
import type { RunVerbDeps } from "./run-deps.ts";

/** Starts a new run with the event of an earlier one, by the published body or by the draft. */
export async function replayRun(
  deps: RunVerbDeps,
  caller: Caller,
  { workflow: id, run: runId }: { workflow: string; run: string },
  { isDraft = false }: { isDraft?: boolean | undefined } = {},
): Promise<WorkflowOutcome> {
  const { run } = await loadRunOf(deps, caller, { workflow: id, run: runId }, "manage");
  const stored = await readRunEvent(deps.store.db, runId);
  if (stored === null || run.state === "dropped") {
    throw new HubError("conflict", "The event of this run was not kept, so it cannot be replayed.");
  }
  const { directory, engine, findCaller } = await deps.openWorkflows();
  const workflow = await directory.find(id);
  const bodyId = isDraft ? workflow?.draftBodyId : workflow?.publishedBodyId;
  if (workflow === null || bodyId == null) {
    throw new HubError(
      "conflict",
      "The workflow is not published. Publish it, or replay the draft.",
    );
  }
  await findOwner({ directory, findCaller }, { workflowId: id, ownerId: workflow.ownerId });
  const plan = await engine.plans.load(bodyId);
  const trigger = plan.body.triggers.find((one) => one.id === run.triggerId);
  if (trigger === undefined) {
    throw new HubError(
      "conflict",
      `The workflow has no trigger "${run.triggerId}" any more, which started this run.`,
    );
  }
  // Safe: the engine wrote it.
  const event = parseJson(stored.event) as { Payload: Json; Source: string | null };
  // Those of a former owner belong to nobody here.
  if (run.ownerId !== workflow.ownerId) {
    checkSentTokens(deps.ring.current(), { payload: event.Payload, raw: stored.raw });
  }
  const { runId: started, acceptance } = await engine.accept({
    workflow,
    plan,
    version: isDraft ? null : workflow.version,
    trigger,
    payload: event.Payload,
    source: event.Source,
    ...(stored.raw !== null && { raw: stored.raw }),
    user: caller.email,
    startedBy: caller.email,
    starterIds: [...readStarterIds(run), caller.userId],
    parentRunId: runId,
  });
  const state = acceptance.kind === "dropped" ? "dropped" : "queued";
  return { run_id: started, state, output: null, error: null };
}
