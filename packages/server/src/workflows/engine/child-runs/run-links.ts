import { parseJson } from "@hub/connector";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import type { Db } from "../../../store/database/database.ts";
import { readStarterIds } from "../../../store/workflow-runs/read-starter-ids.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import {
  findRunStates,
  findWorkflowRun,
} from "../../../store/workflow-runs/workflow-runs-table.ts";
import { findStep } from "../../../store/workflow-runs/workflow-steps.ts";
import { mayStart } from "../../definition/workflow-access.ts";
import type { WorkflowDirectory } from "../../workflow-directory.ts";
import type { RunRequest } from "../accept/prepare-run.ts";
import { passOnContext, readRunContext } from "../accept/run-context.ts";
import { isUnavailable } from "../claim/wait-for-database.ts";
import type { RunWatch } from "../commit/run-watch.ts";
import type { Plans } from "../plan.ts";
import { checkSentTokens } from "../secrets/check-sent-tokens.ts";
import { hideTokens } from "../secrets/hide-tokens.ts";
import type { ChildEnd, ChildRequest } from "./child-run.ts";

export type OwnerDeps = {
  directory: WorkflowDirectory;
  findCaller(userId: string): Promise<Caller | null>;
};

/** Every call of a run acts as its owner, with the rights of that moment, within the bounds of the run. */
export async function findOwner(
  deps: OwnerDeps,
  {
    workflowId,
    ownerId,
    context = null,
  }: Pick<ClaimedRun, "workflowId" | "ownerId"> & Partial<Pick<ClaimedRun, "context">>,
): Promise<Caller> {
  const workflow = await deps.directory.find(workflowId);
  if (workflow === null) throw new HubError("not_found", "The workflow was deleted.");
  if (workflow.ownerId !== ownerId) {
    throw new HubError(
      "forbidden",
      "The workflow has another owner now, so this run cannot go on. Start a new one.",
    );
  }
  const caller = await deps.findCaller(ownerId);
  const { bounds } = readRunContext(context);
  if (caller !== null) return bounds === undefined ? caller : { ...caller, bounds };
  throw new HubError(
    "forbidden",
    "The owner of this workflow is not active, or the single sign-on provider does not confirm the owner, so it cannot run. The owner can sign in again, an admin can activate the user, or the workflow needs another owner.",
  );
}

/** Why a run may not go on as its owner. Null if it may. */
export async function findOwnerRefusal(
  deps: OwnerDeps,
  run: Pick<ClaimedRun, "workflowId" | "ownerId">,
): Promise<HubError | null> {
  try {
    await findOwner(deps, run);
    return null;
  } catch (thrown) {
    if (thrown instanceof HubError && !isUnavailable(thrown)) return thrown;
    throw thrown;
  }
}

const nestingMax = 8;

/** The run of another workflow that a node asks for. Throws if the owner of `run` may not start it. */
export async function requestChild(
  deps: OwnerDeps & { plans: Plans; ring: Pick<RingHolder, "current"> },
  run: ClaimedRun,
  { workflowId, payload, waits }: ChildRequest,
): Promise<RunRequest> {
  const owner = await findOwner(deps, run);
  const workflow = await deps.directory.find(workflowId);
  // A workflow that the owner may not start looks like one that does not exist.
  if (
    workflow?.publishedBodyId == null ||
    !mayStart(owner, { ...workflow, pendingOwnerId: null })
  ) {
    throw new HubError(
      "not_found",
      `There is no published workflow "${workflowId}" that the owner of this one may run.`,
    );
  }
  if (run.nesting >= nestingMax) {
    throw new HubError("conflict", `Workflows can start each other ${nestingMax} deep at most.`);
  }
  await findOwner(deps, { workflowId, ownerId: workflow.ownerId });
  if (workflow.ownerId !== run.ownerId) checkSentTokens(deps.ring.current(), { payload });
  const plan = await deps.plans.load(workflow.publishedBodyId);
  const trigger = plan.body.triggers.find(({ type }) => type === "manual");
  if (trigger === undefined) {
    throw new HubError(
      "conflict",
      `The workflow "${workflowId}" has no manual trigger. Add one to it, and publish it.`,
    );
  }
  return {
    // Otherwise a published workflow that a trial starts would outlive it.
    ...passOnContext(run),
    workflow,
    plan,
    version: workflow.version,
    trigger,
    payload,
    user: owner.email,
    startedBy: `workflow ${run.workflowId}`,
    starterIds: readStarterIds(run),
    waiterRunId: waits ? run.id : null,
    parentRunId: run.id,
    nesting: run.nesting + 1,
    errorDepth: run.errorDepth,
    chainDepth: run.chainDepth,
  };
}

/** How another run ended, or null while it has not. */
export async function findChildEnd(
  { db }: { db: Db },
  { ownerId }: Pick<ClaimedRun, "ownerId">,
  runId: string,
): Promise<ChildEnd | null> {
  const child = await findWorkflowRun(db, runId);
  if (child === null) return { state: "failed", message: `The run ${runId} was deleted.` };
  const { state } = child;
  if (state === "queued" || state === "running" || state === "waiting") return null;
  if (state !== "succeeded" && child.ownerId !== ownerId) {
    return { state, message: `The run ${runId} is ${state}. Its owner sees why.` };
  }
  if (state !== "succeeded") {
    const { message }: { message: string } =
      child.error === null ? { message: "it has no error" } : JSON.parse(child.error);
    return { state, message: `The run ${runId} is ${state}: ${message}` };
  }
  const step = child.lastNode === null ? null : await findStep(db, runId, child.lastNode);
  const output = step?.output ? parseJson(step.output) : null;
  // A value token opens for its own user alone, so it says nothing to another one.
  return { state, output: child.ownerId === ownerId ? output : hideTokens(output) };
}

/** Resolves when a run has ended, or the signal aborts. */
export async function waitForRun(
  { db, watch }: { db: Db; watch: RunWatch },
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = watch.subscribe(runId, resolve);
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const state = (await findRunStates(db, [runId])).get(runId);
      const isActive = state === "queued" || state === "running" || state === "waiting";
      if (signal.aborted || !isActive) return;
      await promise;
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
    }
  }
}
