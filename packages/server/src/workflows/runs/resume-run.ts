import type {
  WorkflowDecision,
  WorkflowResume,
  WorkflowResumeBody,
  WorkflowResumed,
} from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { StepRecord, WorkflowRunRecord } from "../../store/workflow-run-records.ts";
import {
  findStep,
  findWorkflowRun,
  listStepMarks,
  readRunEvent,
  type StepMark,
} from "../../store/workflow-runs.ts";
import type { WorkflowRecord } from "../../store/workflows.ts";
import { readGiven } from "../engine/given.ts";
import type { Plan } from "../engine/plan.ts";
import { readStarterIds } from "../engine/prepare-run.ts";
import { findOwner } from "../engine/run-links.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { Workflows } from "../workflows.ts";
import { checkOutput, findNode } from "./check-pins.ts";
import { checkDecidable, decideStep } from "./decide-step.ts";
import { readEarlierStart } from "./earlier-start.ts";
import { loadRunOf } from "./load-run.ts";
import { planResume, type ResumePlan, toKey } from "./plan-resume.ts";
import type { RunVerbDeps } from "./run-deps.ts";

export type ResumeInput = {
  body?: WorkflowResumeBody | undefined;
  decisions?: readonly WorkflowDecision[] | undefined;
};

type ResumeDeps = RunVerbDeps & { now(): number };
type Target = { workflow: string; run: string };

/** What is resumed, after all checks that need no decision. */
type Resumable = {
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
  unsure: ResumePlan["unsure"];
};

/** What a resume would do, and which decisions it needs. */
export async function previewResume(
  deps: ResumeDeps,
  caller: Caller,
  target: Target,
  input: Pick<ResumeInput, "body"> = {},
): Promise<WorkflowResume> {
  const found = await findResumable(deps, caller, target, input);
  return { ...describe(found), undecided: listUndecided(found.unsure, new Map()) };
}

/**
 * Lets a run go on that waits for a person, or starts a new run that goes on where a failed or cancelled
 * one ended. Steps that may have happened need a decision.
 */
export async function resumeRun(
  deps: ResumeDeps,
  caller: Caller,
  target: Target,
  input: ResumeInput = {},
): Promise<WorkflowResumed> {
  const found = await findResumable(deps, caller, target, input);
  const decided = checkDecisions(deps, caller, found, input.decisions ?? []);
  return found.plan === null
    ? await goOn(deps, caller, found, decided)
    : await startAgain(deps, caller, found, decided);
}

async function findResumable(
  deps: ResumeDeps,
  caller: Caller,
  target: Target,
  { body = "then" }: Pick<ResumeInput, "body">,
): Promise<Resumable> {
  const { run, workflow: record } = await loadRunOf(deps, caller, target, "manage");
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
    const same = { before, after: before, plan: null, start: null, endsAt: undefined, unsure };
    return { workflows, workflow, run, steps, ...same };
  }
  const after = await loadAfter(engine.plans, { body, before, workflow: record });
  const start = await readEarlierStart(deps, after, run);
  const { generations = {}, endsAt } = readGiven(
    (await readRunEvent(deps.store.db, run.id))?.given ?? null,
  );
  checkTrialEnd(deps, endsAt);
  const entry = { before: run.entry, after: start.trigger.entry };
  const plan = planResume({ before, after, entry, steps, generations });
  return {
    workflows,
    workflow,
    run,
    steps,
    before,
    after,
    plan,
    start,
    endsAt,
    unsure: plan.unsure,
  };
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
    throw new HubError("conflict", "Only live runs are resumed. Rehearse again instead.");
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

function refuseLate(): HubError {
  return new HubError(
    "conflict",
    "The run does not wait any more: it was resumed or cancelled meanwhile.",
  );
}

function refuseSecond(resumedBy: string | null): HubError {
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
      "The body of this run is gone, so nobody knows which steps can be taken over. Replay the run instead.",
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

type Decisions = ReadonlyMap<string, { decision: WorkflowDecision; step: StepMark }>;

function checkDecisions(
  deps: ResumeDeps,
  caller: Caller,
  { workflow, steps, after, plan, unsure }: Resumable,
  decisions: readonly WorkflowDecision[],
): Decisions {
  const found = new Map<string, { decision: WorkflowDecision; step: StepMark }>();
  const byKey = new Map(steps.map((step) => [toKey(step), step]));
  for (const decision of decisions) {
    const node = findNode(after, decision.node_id);
    checkDecidable(node);
    const key = toKey({ nodeId: node.id, item: decision.item ?? -1 });
    const step = byKey.get(key);
    const place = decision.item === undefined ? `"${node.id}"` : `"${node.id}" [${decision.item}]`;
    if (step === undefined || !isOpen(step, plan, unsure)) {
      throw new HubError(
        "bad_request",
        `The step ${place} needs no decision: ${step === undefined ? "it did not run" : "it has ended"}. Leave it out.`,
      );
    }
    if (found.has(key)) {
      throw new HubError("bad_request", `There are two decisions about the step ${place}.`);
    }
    if (decision.decision === "failed" && node.on_error === "fail" && plan !== null) {
      throw new HubError(
        "bad_request",
        `The new run would fail at once, because the node "${node.id}" has no \`on_error\`. Choose repeat or succeeded.`,
      );
    }
    if (decision.decision === "succeeded") {
      const from = { ring: deps.ring.current(), caller, ownerId: workflow.ownerId };
      checkOutput(from, `The output of the step ${place}`, decision.output ?? null);
    }
    found.set(key, { decision, step });
  }
  const [first, ...others] = listUndecided(unsure, found);
  if (first === undefined) return found;
  const more = others.length === 0 ? "" : ` The same holds for ${others.length} more.`;
  throw new HubError(
    "conflict",
    `Decide about the step "${first.node_id}"${first.item === null ? "" : ` [${first.item}]`}, which may have happened: repeat, succeeded or failed.${more} ${first.message}`,
  );
}

/** Whether a person may say how the step ended: it has not ended for the resumed run. */
function isOpen(step: StepMark, plan: ResumePlan | null, unsure: ResumePlan["unsure"]): boolean {
  if (plan === null) return unsure.has(toKey(step));
  if (plan.taken.has(step.nodeId)) return false;
  return step.item < 0 || step.state !== "succeeded";
}

/** A decision about a whole node counts for its items. */
function listUndecided(unsure: ResumePlan["unsure"], decided: Decisions) {
  return [...unsure.values()]
    .filter(({ step }) => {
      const ofNode = decided.get(toKey({ nodeId: step.nodeId, item: -1 }));
      return !decided.has(toKey(step)) && ofNode === undefined;
    })
    .map(({ step, message }) => ({
      node_id: step.nodeId,
      item: step.item < 0 ? null : step.item,
      message,
    }));
}

function describe({ plan, steps, unsure }: Resumable): Omit<WorkflowResume, "undecided"> {
  if (plan !== null) {
    return { is_same_run: false, taken_over: [...plan.taken], runs_again: [...plan.again] };
  }
  const isEnded = ({ item, state }: StepMark) => item < 0 && state !== "running";
  return {
    is_same_run: true,
    taken_over: steps.filter(isEnded).map(({ nodeId }) => nodeId),
    runs_again: [...new Set([...unsure.values()].map(({ step }) => step.nodeId))],
  };
}

/** The steps that have ended by decisions, and those that run again. */
async function toSteps(
  { store, now }: ResumeDeps,
  { email }: Caller,
  { run, after }: Resumable,
  decided: Decisions,
): Promise<{ ended: StepRecord[]; again: StepMark[] }> {
  const ended: StepRecord[] = [];
  const again: StepMark[] = [];
  for (const { decision, step: mark } of decided.values()) {
    const node = findNode(after, mark.nodeId);
    const input = (await findStep(store.db, run.id, mark.nodeId, mark.item))?.input ?? null;
    const step = decideStep({ node, mark, input, by: email, at: now() }, decision);
    if (step === null) again.push(mark);
    else ended.push(step);
  }
  return { ended, again };
}

async function goOn(
  deps: ResumeDeps,
  caller: Caller,
  found: Resumable,
  decided: Decisions,
): Promise<WorkflowResumed> {
  const { workflows, workflow, run } = found;
  const { ended, again } = await toSteps(deps, caller, found, decided);
  const isDone = await workflows.engine.decide({ run, workflow, steps: ended, again });
  if (!isDone) throw refuseLate();
  const repeated = [...new Set(again.map(({ nodeId }) => nodeId))];
  const state = { run_id: run.id, state: "waiting" as const, output: null, error: null };
  return { ...state, ...describe(found), runs_again: repeated };
}

async function startAgain(
  deps: ResumeDeps,
  caller: Caller,
  found: Resumable,
  decided: Decisions,
): Promise<WorkflowResumed> {
  const { workflows, workflow, run, before, after, plan, start, endsAt } = found;
  if (plan === null || start === null) throw new Error("A run that waits goes on itself");
  const { ended } = await toSteps(deps, caller, found, decided);
  const whole = new Set(ended.filter(({ item }) => item < 0).map(({ nodeId }) => nodeId));
  const version = after === before ? run.version : toVersion(workflow, after);
  const { generations } = plan;
  const { runId, acceptance } = await workflows.engine.accept({
    ...start,
    ...{ workflow, plan: after, version, errorDepth: run.errorDepth, chainDepth: run.chainDepth },
    nesting: run.nesting,
    startedBy: caller.email,
    starterIds: [...readStarterIds(run), caller.userId],
    parentRunId: run.id,
    originRunId: run.originRunId ?? run.id,
    given: { generations, ...(endsAt !== undefined && { endsAt }) },
    takeOver: {
      ...{ runId: run.id, isResume: true, flag: "taken_over" },
      nodeIds: [...plan.taken],
      partNodeIds: [...plan.part].filter((id) => !whole.has(id)),
    },
    steps: ended,
  });
  if (acceptance.kind === "refused") throw refuseSecond(null);
  if (acceptance.kind === "dropped") {
    throw new HubError(
      "rate_limited",
      "The workflow cannot take another run now: it runs already, or too many runs wait. Try again later.",
      { detail: { retry_after_s: 5 } },
    );
  }
  const again = plan.again.filter((id) => !whole.has(id));
  const outcome = { run_id: runId, state: "queued" as const, output: null, error: null };
  return { ...outcome, ...describe(found), runs_again: again };
}

function toVersion({ publishedBodyId, version }: KnownWorkflow, { bodyId }: Plan): number | null {
  return bodyId === publishedBodyId ? version : null;
}
