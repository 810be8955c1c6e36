import type { WorkflowResumeBody } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { CallBounds } from "../../../lib/call-bounds.ts";
import type { WorkflowRunRecord } from "../../../store/workflow-runs/workflow-run-columns.ts";
import { findWorkflowRun, readRunEvent } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { listStepMarks, type StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import type { WorkflowRecord } from "../../../store/workflows/workflows-table.ts";
import { readRunContext } from "../../engine/accept/run-context.ts";
import { findOwner } from "../../engine/child-runs/run-links.ts";
import type { Plan } from "../../engine/plan.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { Workflows } from "../../workflows.ts";
import { loadPermittedRun } from "../load-permitted-run.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";
import { readEarlierStart } from "../start/read-earlier-start.ts";
import { planResume, type ResumePlan, toKey } from "./plan-resume.ts";

export type ResumeDeps = RunVerbDeps & { now(): number };

/** What is resumed, after all checks that need no decision. */
export type Resumable = {
  workflows: Workflows;
  workflow: KnownWorkflow;
  run: WorkflowRunRecord;
  steps: StepMark[];
  before: Plan;
  after: Plan;
  /** Null for a run that goes on itself. */
  plan: ResumePlan | null;
  /** Null for a run that goes on itself. */
  start: Awaited<ReturnType<typeof readEarlierStart>> | null;
  /** Of a trial that gets a new run, which ends at the same time. */
  endsAt: number | undefined;
  /** Whether the run started no error triggers. */
  isQuiet: true | undefined;
  hubs: readonly string[] | undefined;
  bounds: CallBounds | undefined;
  unsure: ResumePlan["unsure"];
};

/** Finds what a resume would go on from. Throws if the run cannot be resumed, whatever is decided. */
export async function findResumable(
  deps: ResumeDeps,
  caller: Caller,
  target: { workflow: string; run: string },
  { body = "then" }: { body?: WorkflowResumeBody | undefined },
): Promise<Resumable> {
  const { run, workflow: record } = await loadPermittedRun(deps, caller, target, "manage");
  const isSameRun = run.state === "waiting";
  checkState(run, body);
  const workflows = await deps.openWorkflows();
  const { directory, engine } = workflows;
  const workflow = await directory.find(run.workflowId);
  if (workflow === null) throw new HubError("not_found", "There is no such workflow.");
  if (workflow.ownerId !== run.ownerId) {
    throw new HubError(
      "conflict",
      "The run belongs to a former owner of the workflow, so it cannot go on. Replay it, or start a new one.",
    );
  }
  await findOwner(workflows, { workflowId: run.workflowId, ownerId: workflow.ownerId });
  const steps = await listStepMarks(deps.store.db, run.id);
  const before = await loadThen(engine.plans, run);
  if (isSameRun) {
    // The steps were read after the run: a decision in between would look like a wrong question.
    await checkWaits(deps, run);
    const unsure = new Map(
      steps
        .filter(({ state }) => state === "running")
        .map((step) => [toKey(step), { step, message: describeWait(run) }]),
    );
    const same = {
      before,
      after: before,
      plan: null,
      start: null,
      endsAt: undefined,
      isQuiet: undefined,
      hubs: undefined,
      bounds: undefined,
      unsure,
    };
    return { workflows, workflow, run, steps, ...same };
  }
  const after = await loadAfter(engine.plans, { body, before, workflow: record });
  const start = await readEarlierStart(deps, after, run);
  const {
    generations = {},
    endsAt,
    isQuiet,
    hubs,
    bounds,
  } = readRunContext((await readRunEvent(deps.store.db, run.id))?.context ?? null);
  checkTrialEnd(deps, endsAt);
  const entry = { before: run.entry, after: start.trigger.entry };
  const plan = planResume({ before, after, entry, steps, generations });
  const again = { before, after, plan, start, endsAt, isQuiet, hubs, bounds, unsure: plan.unsure };
  return { workflows, workflow, run, steps, ...again };
}

function checkState(run: WorkflowRunRecord, body: WorkflowResumeBody): void {
  const { state, mode, resumedBy, waitingFor } = run;
  if (state === "waiting") {
    const { kind } = Object(waitingFor === null ? null : JSON.parse(waitingFor));
    if (kind !== "person") {
      throw new HubError(
        "conflict",
        "The run waits and goes on by itself. Only a run that waits for a decision about a step can be resumed.",
      );
    }
    if (body === "then") return;
    throw new HubError(
      "conflict",
      "A run that waits goes on with its own body. Cancel it first, and resume it with another body then.",
    );
  }
  if (state !== "failed" && state !== "cancelled") {
    const isActive = state === "queued" || state === "running";
    throw new HubError(
      "conflict",
      isActive
        ? "The run has not ended. Wait for its end, or cancel it."
        : `The run is ${state}. Only runs that failed, were cancelled or wait for a person can be resumed.`,
    );
  }
  if (mode !== "live") {
    throw new HubError("conflict", "Only live runs are resumed. Start another dry run instead.");
  }
  if (resumedBy === null) return;
  throw refuseSecond(resumedBy);
}

function checkTrialEnd({ now }: Pick<ResumeDeps, "now">, endsAt: number | undefined): void {
  if (endsAt === undefined || endsAt > now()) return;
  throw new HubError(
    "conflict",
    "The run belongs to a trial, which has ended. Replay the run, or start a new one.",
  );
}

/** Throws if the run does not wait any more as it did when it was read. */
async function checkWaits(
  { store }: Pick<ResumeDeps, "store">,
  { id, leaseNumber }: WorkflowRunRecord,
): Promise<void> {
  const now = await findWorkflowRun(store.db, id);
  const waits = now?.state === "waiting" && now.dueAt === null && now.leaseNumber === leaseNumber;
  if (!waits) throw refuseLate();
}

export function refuseLate(): HubError {
  return new HubError(
    "conflict",
    "The run does not wait any more: it was resumed or cancelled meanwhile.",
  );
}

export function refuseSecond(resumedBy: string | null): HubError {
  const which = resumedBy === null ? "" : ` by the run ${resumedBy}`;
  return new HubError(
    "conflict",
    `The run was resumed already${which}. If that one failed too, resume that one.`,
  );
}

async function loadThen(
  plans: Workflows["engine"]["plans"],
  run: WorkflowRunRecord,
): Promise<Plan> {
  try {
    return await plans.load(run.bodyId);
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.code !== "not_found") throw thrown;
    throw new HubError(
      "conflict",
      "The body of this run is gone, so it is unknown which steps can be taken over. Replay the run instead.",
      { cause: thrown },
    );
  }
}

async function loadAfter(
  plans: Workflows["engine"]["plans"],
  { body, before, workflow }: { body: WorkflowResumeBody; before: Plan; workflow: WorkflowRecord },
): Promise<Plan> {
  if (body === "then") return before;
  const bodyId = body === "draft" ? workflow.draftBodyId : workflow.publishedBodyId;
  if (bodyId !== null) return await plans.load(bodyId);
  throw new HubError(
    "conflict",
    "The workflow is not published. Resume the run with its own body, or with the draft.",
  );
}

function describeWait({ waitingFor }: WorkflowRunRecord): string {
  const { message } = Object(waitingFor === null ? null : JSON.parse(waitingFor));
  return typeof message === "string" ? message : "It is unknown whether the step took effect.";
}
