import type { WorkflowDryRun, WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import { loadWorkflow, mayStart } from "../../definition/workflow-access.ts";
import type { RunRequest } from "../../engine/accept/prepare-run.ts";
import { toRunContext } from "../../engine/accept/run-context.ts";
import { findOwner, waitForRun } from "../../engine/child-runs/run-links.ts";
import type { Plan } from "../../engine/plan.ts";
import { checkSentTokens } from "../../engine/secrets/check-sent-tokens.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { Workflows } from "../../workflows.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";
import { showOutcome } from "../show-outcome.ts";
import { findNode } from "./check-pins.ts";
import { findEarlier, toDryRun, wantsDryRun } from "./dry-run-request.ts";
import { readEarlierStart } from "./read-earlier-start.ts";
import { readManualPayload } from "./read-manual-payload.ts";
import { refuseBusy } from "./refuse-busy.ts";

export type StartInput = {
  /** The id of a manual trigger; of a draft, also of another one. The default is the only manual one. */
  triggerId?: string | undefined;
  payload?: unknown;
  /** Whether the draft runs, which needs the right to manage the workflow. */
  isDraft?: boolean | undefined;
  /** Whether a failure of a run of the draft starts error triggers. The default is false. */
  firesErrors?: boolean | undefined;
  /** How long to wait for the end, in ms. 0 returns at once. */
  waitMs?: number | undefined;
  /** Makes the run a dry run, or a run of one node, which needs the right to manage the workflow. */
  dryRun?: WorkflowDryRun | undefined;
  /** When the run ends at the latest, if it is a trial. */
  endsAt?: number | undefined;
  /** Ids of the other hubs that the call has passed. */
  hubs?: readonly string[] | undefined;
};

export const waitMsMax = 30_000;

/** Starts a run by hand. Resolves when it is on disk, or with its outcome if it ends in time. */
export async function startRun(
  deps: RunVerbDeps,
  caller: Caller,
  id: string,
  input: StartInput,
): Promise<WorkflowOutcome> {
  const { triggerId, payload, isDraft = false, waitMs = 0, dryRun = {}, endsAt, hubs } = input;
  const isQuiet = isDraft && !input.firesErrors ? true : undefined;
  const isDryRun = wantsDryRun(dryRun);
  const { bounds } = caller;
  if (isDraft || isDryRun) checkUnbound(caller);
  const right = isDraft || isDryRun ? "manage" : "see";
  const record = await loadWorkflow(deps.store.db, caller, id, right);
  if (!mayStart(caller, record)) {
    throw new HubError("forbidden", "Only the owner of the workflow and admins may start it.");
  }
  const workflows = await deps.openWorkflows();
  const workflow = await findWorkflow(workflows, id);
  // The directory need not know of a draft that was saved since.
  const bodyId = isDraft ? record.draftBodyId : workflow.publishedBodyId;
  if (bodyId === null) {
    throw new HubError("conflict", "The workflow is not published. Publish it, or run its draft.");
  }
  // The owner must be able to run it now, not only when the first node calls.
  await findOwner(workflows, { workflowId: id, ownerId: workflow.ownerId });
  const plan = await workflows.engine.plans.load(bodyId);
  const from = { caller, workflow, plan };
  const start = isDryRun
    ? await findDryRunStart(deps, from, dryRun, { triggerId, payload })
    : findStart(plan, { triggerId, payload }, { anyTrigger: isDraft });
  if (caller.userId !== workflow.ownerId) {
    checkSentTokens(deps.ring.current(), { payload: start.payload });
  }
  const dryRunMembers = isDryRun ? await toDryRun(deps, from, dryRun) : {};
  const { runId, acceptance } = await workflows.engine.accept({
    workflow,
    plan,
    version: isDraft ? null : workflow.version,
    user: caller.email,
    ...start,
    ...dryRunMembers,
    ...toRunContext({ ...dryRunMembers.context, endsAt, isQuiet, hubs, bounds }),
    startedBy: caller.email,
    starterIds: toStarterIds(caller),
  });
  if (acceptance.kind === "dropped") throw refuseBusy(runId);
  return await awaitOutcome(deps, workflows, { caller, workflow, runId, waitMs });
}

/** Who starts a run: the caller, and of a service user also its owner. */
export function toStarterIds({ userId, ownerId }: Pick<Caller, "userId" | "ownerId">): string[] {
  return ownerId === undefined || ownerId === "" ? [userId] : [userId, ownerId];
}

/** Trials are for authors. Pins, and the outputs of earlier runs, may be of any row. */
export function checkUnbound({ bounds }: Pick<Caller, "bounds">): void {
  if (bounds === undefined) return;
  throw new HubError(
    "forbidden",
    "A bound token starts published workflows only. Run drafts and dry runs with another token.",
  );
}

async function findWorkflow({ directory }: Workflows, id: string): Promise<KnownWorkflow> {
  const workflow = await directory.find(id);
  if (workflow === null) throw new HubError("not_found", "There is no such workflow.");
  return workflow;
}

type Event = { triggerId: string | undefined; payload: unknown };
/** The trigger and the event of a run. */
type Start = Pick<RunRequest, "trigger" | "payload" | "raw" | "source" | "eventAt">;

function findStart(
  plan: Plan,
  { triggerId, payload }: Event,
  { anyTrigger }: { anyTrigger: boolean },
): Start {
  const trigger = findTrigger(plan, triggerId, anyTrigger);
  const input = trigger.type === "manual" ? trigger.input : [];
  return { trigger, payload: readManualPayload({ id: trigger.id, input }, payload) };
}

/** Without an event, a dry run has that of the run whose outputs it gets. */
async function findDryRunStart(
  deps: RunVerbDeps,
  { caller, workflow, plan }: { caller: Caller; workflow: KnownWorkflow; plan: Plan },
  { only_node: onlyNode, pins_from: pinsFrom }: WorkflowDryRun,
  event: Event,
): Promise<Start> {
  const entry = onlyNode === undefined ? {} : { entry: findNode(plan, onlyNode).id };
  const hasEvent = event.triggerId !== undefined || event.payload !== undefined;
  if (pinsFrom !== undefined && !hasEvent) {
    const earlier = await findEarlier(deps, { caller, workflow }, pinsFrom);
    const start = await readEarlierStart(deps, plan, earlier, {
      isEntryNeeded: onlyNode === undefined,
    });
    return { ...start, trigger: { ...start.trigger, ...entry } };
  }
  if (onlyNode !== undefined && !hasEvent) {
    // One node may read nothing of the event, so no trigger is asked for.
    const trigger = plan.body.triggers[0] ?? { id: "manual", type: "manual" };
    return { trigger: { ...trigger, entry: onlyNode }, payload: {} };
  }
  const start = findStart(plan, event, { anyTrigger: true });
  return { ...start, trigger: { ...start.trigger, ...entry } };
}

/** Of a draft and of a dry run, any trigger: who tries it gives the payload that its event would have. */
function findTrigger(
  { body }: Plan,
  triggerId: string | undefined,
  anyTrigger: boolean,
): WorkflowTrigger {
  const named = anyTrigger ? body.triggers.find(({ id }) => id === triggerId) : undefined;
  if (named !== undefined) return named;
  if (anyTrigger && triggerId === undefined && body.triggers.length === 1) {
    const [only] = body.triggers;
    if (only !== undefined) return only;
  }
  const manual = body.triggers.filter(({ type }) => type === "manual");
  const found = manual.find(({ id }) => id === triggerId);
  const [first, ...others] = manual;
  if (found !== undefined) return found;
  if (triggerId === undefined && first !== undefined && others.length === 0) return first;
  if (anyTrigger && body.triggers.length > 0) {
    const ids = body.triggers.map(({ id }) => id).join(", ");
    throw new HubError("bad_request", `Name one of its triggers in trigger_id: ${ids}.`);
  }
  const names = manual.map(({ id }) => id).join(", ");
  throw new HubError(
    "bad_request",
    manual.length === 0
      ? "The workflow has no manual trigger, so it cannot be started by hand. Add one and publish it."
      : `Name one of its manual triggers in trigger_id: ${names}.`,
  );
}

type Awaited = {
  caller: Caller;
  workflow: Pick<KnownWorkflow, "id">;
  runId: string;
  waitMs: number;
};

/** How a run has ended when the time is over, or how far it is. */
export async function awaitOutcome(
  deps: RunVerbDeps,
  { engine }: Pick<Workflows, "engine">,
  { caller, workflow, runId, waitMs }: Awaited,
): Promise<WorkflowOutcome> {
  if (waitMs > 0) {
    const time = AbortSignal.timeout(Math.min(waitMs, waitMsMax));
    await waitForRun({ db: deps.store.db, watch: engine.watch }, runId, time);
  }
  return await showOutcome(deps, caller, { workflow: workflow.id, run: runId });
}
