import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Plan } from "../engine/plan.ts";
import { findOwner, waitForRun } from "../engine/run-links.ts";
import { checkSentTokens } from "../engine/sent-tokens.ts";
import { loadWorkflow, mayStart } from "../record/access.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { Workflows } from "../workflows.ts";
import { readManualPayload } from "./manual-input.ts";
import type { RunVerbDeps } from "./run-deps.ts";
import { showOutcome } from "./show-outcome.ts";

export type StartInput = {
  /** The id of a manual trigger; of a draft, also of another one. The default is the only manual one. */
  triggerId?: string | undefined;
  payload?: unknown;
  /** Whether the draft runs, which needs the right to manage the workflow. */
  isDraft?: boolean | undefined;
  /** How long to wait for the end, in ms. 0 returns at once. */
  waitMs?: number | undefined;
};

export const waitMsMax = 30_000;

/** Starts a run by hand. Resolves when it is on disk, or with its outcome if it ends in time. */
export async function startRun(
  deps: RunVerbDeps,
  caller: Caller,
  id: string,
  { triggerId, payload, isDraft = false, waitMs = 0 }: StartInput,
): Promise<WorkflowOutcome> {
  const record = await loadWorkflow(deps.store.db, caller, id, isDraft ? "manage" : "see");
  if (!mayStart(caller, record)) {
    throw new HubError("forbidden", "Only the owner of the workflow and admins may start it.");
  }
  const workflows = await deps.openWorkflows();
  const workflow = await findWorkflow(workflows, id);
  const bodyId = isDraft ? workflow.draftBodyId : workflow.publishedBodyId;
  if (bodyId === null) {
    throw new HubError("conflict", "The workflow is not published. Publish it, or run its draft.");
  }
  // The owner must be able to run it now, not only when the first node calls.
  await findOwner(workflows, { workflowId: id, ownerId: workflow.ownerId });
  const plan = await workflows.engine.plans.load(bodyId);
  const trigger = findTrigger(plan, triggerId, isDraft);
  const input = trigger.type === "manual" ? trigger.input : [];
  const values = readManualPayload({ id: trigger.id, input }, payload);
  if (caller.userId !== workflow.ownerId) checkSentTokens(deps.ring.current(), { payload: values });
  const { runId, acceptance } = await workflows.engine.accept({
    workflow,
    plan,
    version: isDraft ? null : workflow.version,
    trigger,
    payload: values,
    user: caller.email,
    startedBy: caller.email,
    starterIds: [caller.userId],
  });
  if (acceptance.kind === "dropped") throw refuseBusy(runId);
  return await awaitOutcome(deps, workflows, { caller, workflow, runId, waitMs });
}

async function findWorkflow({ directory }: Workflows, id: string): Promise<KnownWorkflow> {
  const workflow = await directory.find(id);
  if (workflow === null) throw new HubError("not_found", "There is no such workflow.");
  return workflow;
}

/** Of a draft, any trigger: who tries it gives the payload that its event would have. */
function findTrigger(
  { body }: Plan,
  triggerId: string | undefined,
  isDraft: boolean,
): WorkflowTrigger {
  const named = isDraft ? body.triggers.find(({ id }) => id === triggerId) : undefined;
  if (named !== undefined) return named;
  const manual = body.triggers.filter(({ type }) => type === "manual");
  const found = manual.find(({ id }) => id === triggerId);
  const [first, ...others] = manual;
  if (found !== undefined) return found;
  if (triggerId === undefined && first !== undefined && others.length === 0) return first;
  const names = manual.map(({ id }) => id).join(", ");
  throw new HubError(
    "bad_request",
    manual.length === 0
      ? "The workflow has no manual trigger, so it cannot be started by hand. Add one and publish it."
      : `Name one of its manual triggers in trigger_id: ${names}.`,
  );
}

type Awaited = { caller: Caller; workflow: KnownWorkflow; runId: string; waitMs: number };

async function awaitOutcome(
  deps: RunVerbDeps,
  { engine }: Workflows,
  { caller, workflow, runId, waitMs }: Awaited,
): Promise<WorkflowOutcome> {
  if (waitMs > 0) {
    const time = AbortSignal.timeout(Math.min(waitMs, waitMsMax));
    await waitForRun({ db: deps.store.db, watch: engine.watch }, runId, time);
  }
  return await showOutcome(deps, caller, { workflow: workflow.id, run: runId });
}

function refuseBusy(runId: string): HubError {
  return new HubError(
    "rate_limited",
    "The workflow cannot take another run now: it runs already, or too many runs wait. Try again later.",
    { detail: { retry_after_s: 5, run_id: runId } },
  );
}
