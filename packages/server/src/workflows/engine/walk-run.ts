import { type Json, parseJson } from "@hub/connector";
import { errorCase, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type {
  AcceptWrite,
  ClaimedRun,
  QueuePolicy,
  RunTurn,
  StepRecord,
} from "../../store/workflow-run-records.ts";
import type { Template } from "../templates/nodes.ts";
import { runForEach } from "./for-each.ts";
import { LeaseLostError } from "./lease-lost-error.ts";
import { type NodeTypes, openStep, type StepOutcome } from "./open-step.ts";
import type { Plan } from "./plan.ts";
import { createRender, type ItemScope, type RunData } from "./render.ts";
import type { RunCommit, RunCommits } from "./run-commits.ts";
import { type RunFailure, toFailureText } from "./run-failure.ts";
import { createRunProgress } from "./run-progress.ts";
import type { StepSealer } from "./seal-steps.ts";
import { type StepFailure, toStepFailure } from "./step-failure.ts";
import { tryStep } from "./try-step.ts";

/** A run with everything that its steps need. */
export type WalkStart = {
  run: ClaimedRun;
  plan: Plan;
  /** The committed steps, in their order. */
  steps: readonly StepRecord[];
  /** `Node` is filled as the run goes on. */
  data: RunData & { Node: Record<string, Json> };
  sealer: StepSealer;
  queue: QueuePolicy;
};

export type WalkDeps = {
  nodeTypes: NodeTypes;
  commits: RunCommits;
  timers: Timers;
  now(): number;
  parse(source: string): Template;
  findOwner(run: ClaimedRun): Promise<Caller>;
  /** The run that the output of a node schedules, or a warning. */
  findScheduled(start: WalkStart, output: Json): { run: AcceptWrite } | { warning: string } | null;
  /** The run of another workflow. Throws if the owner of this run may not start it. */
  prepareChild(
    start: WalkStart,
    child: { workflowId: string; payload: Json; waits: boolean },
  ): Promise<AcceptWrite>;
  /** How another run ended, or null while it has not. */
  findChildEnd(start: WalkStart, runId: string): Promise<ChildEnd | null>;
  /** Resolves when the other run has ended. */
  waitForRun(runId: string, signal: AbortSignal): Promise<void>;
  cancelRun(run: { id: string }, reason: string): Promise<void>;
  /** The runs of error triggers. */
  findErrorRuns(start: WalkStart, failure: RunFailure): Promise<AcceptWrite[]>;
  /** The process that takes the next run of the workflow, or null if it has no room. */
  findNextOwner(): string | null;
  logFailure(err: unknown, place: { runId: string; nodeId: string | null }): void;
};

export type ChildEnd =
  | { state: "succeeded"; output: Json }
  | { state: "failed" | "cancelled" | "dropped"; message: string };

/** A run that this process works on. */
export type Walk = {
  /**
   * Resolves when the run has ended, waits, or belongs to another process. `next` is a run of the same
   * workflow that this one made room for.
   */
  done: Promise<{ next: ClaimedRun | null }>;
  /** Ends the run early. Calls in flight are cancelled. */
  cancel(reason: string): void;
  /** Starts no further node, and leaves the run to any process. */
  handOver(): void;
};

/** Sleeps that are shorter than this stay in memory. */
const napMsMax = 1_000;

type Ending = { state: "failed" | "cancelled"; failure: RunFailure };
type Waiting = { step: StepRecord; node: WorkflowNode };

/** Runs the nodes of a run until it ends or waits. Each output is stored before what follows starts. */
export function walkRun(deps: WalkDeps, start: WalkStart): Walk {
  const { run, plan, data, sealer, queue } = start;
  const { graph, body } = plan;
  const progress = createRunProgress(graph, run.entry);
  const early = new AbortController();
  const claimedAt = deps.now();
  /** Nodes that need not start: they have ended, or wait. */
  const settled = new Set<string>();
  const asleep = new Map<string, Waiting & { wakeAt: number }>();
  const children = new Map<string, Waiting & { childRunId: string }>();
  const committedItems = new Map<string, Map<number, StepRecord>>();
  let position = 0;
  let active = 0;
  let lastNode: string | null = null;
  let ending: Ending | null = null;
  let unsure: { node_id: string; item: number; message: string } | null = null;
  let isHandingOver = false;
  let isOver: { next: ClaimedRun | null } | null = null;
  let change = Promise.withResolvers<void>();

  const noteChange = () => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const endEarly = (reason: Ending, cause: HubError) => {
    ending ??= reason;
    early.abort(cause);
    noteChange();
  };
  const cancel = (reason: string) => {
    const cause = new HubError("cancelled", reason);
    endEarly({ state: "cancelled", failure: toRunFailure(null, toStepFailure(cause)) }, cause);
    for (const { childRunId } of children.values()) {
      deps.cancelRun({ id: childRunId }, reason).catch(() => {});
    }
  };
  const timeoutMs = Math.max(body.settings.timeout_s * 1000 - run.activeMs, 0);
  const clearTimeLimit = deps.timers.after(timeoutMs, () => {
    const seconds = body.settings.timeout_s;
    const cause = new HubError("timeout", `The run did not end within its ${seconds} s.`);
    endEarly({ state: "failed", failure: toRunFailure(null, toStepFailure(cause)) }, cause);
  });

  return {
    done: walk().finally(clearTimeLimit),
    cancel,
    handOver() {
      isHandingOver = true;
      noteChange();
    },
  };

  async function walk(): Promise<{ next: ClaimedRun | null }> {
    try {
      restore();
      for (;;) {
        await wakeSteps();
        if (!isStopping()) {
          for (const id of progress.takeReady()) if (!settled.has(id)) startNode(id);
        }
        if (isOver !== null) return isOver;
        if (active > 0) await nextChange();
        else {
          const left = await leave();
          if (left !== null) return left;
        }
      }
    } catch (err) {
      if (err instanceof LeaseLostError) return { next: null };
      throw err;
    }
  }

  function isStopping(): boolean {
    return ending !== null || unsure !== null || isHandingOver;
  }

  /** Takes up what earlier processes have committed. */
  function restore(): void {
    for (const step of start.steps) {
      position = Math.max(position, step.position + 1);
      const node = graph.nodes.get(step.nodeId);
      if (node === undefined) continue;
      if (step.item >= 0) restoreItem(step);
      else restoreNode(node, step);
    }
  }

  function restoreItem(step: StepRecord): void {
    const items = committedItems.get(step.nodeId) ?? new Map<number, StepRecord>();
    items.set(step.item, step);
    committedItems.set(step.nodeId, items);
    if (step.state === "running") noteUnsure(step, "The hub stopped while this item ran.");
  }

  function restoreNode(node: WorkflowNode, step: StepRecord): void {
    if (step.state === "running") {
      noteUnsure(step, "The hub stopped while this step ran.");
      return;
    }
    settled.add(node.id);
    if (step.state === "waiting") noteWaiting(node, step);
    else if (step.state === "failed" && node.on_error === "fail") {
      ending ??= { state: "failed", failure: toRunFailure(node.id, readFailure(step)) };
    } else {
      data.Node[node.id] = step.output === null ? null : parseJson(step.output);
      lastNode = node.id;
      progress.complete(node.id, { caseName: step.caseName });
    }
  }

  function noteUnsure(step: StepRecord, message: string): void {
    unsure ??= { node_id: step.nodeId, item: step.item, message };
  }

  function noteWaiting(node: WorkflowNode, step: StepRecord): void {
    if (step.childRunId !== null) {
      children.set(node.id, { node, step, childRunId: step.childRunId });
    } else asleep.set(node.id, { node, step, wakeAt: step.wakeAt ?? 0 });
  }

  /** Ends the waiting steps whose time has come, or whose run has ended. */
  async function wakeSteps(): Promise<void> {
    if (isStopping()) return;
    for (const [id, { node, step, wakeAt }] of asleep) {
      if (wakeAt > deps.now()) continue;
      asleep.delete(id);
      await finishNode(node, { ...step, ...endOf("succeeded") }, step.output, null);
    }
    for (const [id, { node, step, childRunId }] of children) {
      const end = await deps.findChildEnd(start, childRunId);
      if (end === null) continue;
      children.delete(id);
      await finishChild(node, step, end);
    }
  }

  async function finishChild(node: WorkflowNode, step: StepRecord, end: ChildEnd): Promise<void> {
    try {
      const sealed = toChildOutput(end);
      const output = sealer.toOutputText(sealed);
      await finishNode(node, { ...step, ...endOf("succeeded"), output }, output, null);
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      await failNode(node, { ...step, ...endOf("failed") }, toStepFailure(thrown));
    }
  }

  function startNode(id: string): void {
    const node = graph.nodes.get(id);
    if (node === undefined) throw new Error(`The run has no node ${id}`);
    settled.add(id);
    active += 1;
    runNode(node)
      .catch((err: unknown) => {
        if (err instanceof LeaseLostError) isOver = { next: null };
        else {
          deps.logFailure(err, { runId: run.id, nodeId: id });
          ending ??= { state: "failed", failure: toRunFailure(id, toStepFailure(err)) };
        }
      })
      .finally(() => {
        active -= 1;
        noteChange();
      });
  }

  async function runNode(node: WorkflowNode): Promise<void> {
    const step = newStep(node.id, -1);
    if (!("for_each" in node) || node.for_each === undefined) {
      return await settle(node, await runStep(node, step, null));
    }
    const forEach = node.for_each;
    try {
      const list = createRender(deps, data, null).render(forEach);
      const done = committedItems.get(node.id) ?? new Map<number, StepRecord>();
      const output = await runForEach({ node, list, done, stops: isStopping }, async (scope) => {
        const itemStep = done.get(scope.index) ?? newStep(node.id, scope.index);
        // The other run was started before a restart.
        if (itemStep.childRunId !== null)
          return await settleItem(node, { kind: "child", step: itemStep });
        return await settleItem(node, await runStep(node, itemStep, scope));
      });
      // Some items did not run, because the run ends or waits.
      if (output === null) return;
      const text = sealer.toOutputText(output);
      const input = sealer.toInputText({ items: output.length });
      await finishNode(node, { ...step, ...endOf("succeeded"), input, output: text }, text, null);
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      await failNode(node, { ...step, ...endOf("failed") }, toStepFailure(thrown));
    }
  }

  type StepEnd =
    | { kind: "outcome"; step: StepRecord; outcome: StepOutcome }
    | { kind: "failed"; step: StepRecord; failure: StepFailure }
    | { kind: "unsure"; step: StepRecord; failure: StepFailure };

  /** Renders and tries one step. Nothing but its beginning is stored yet. */
  async function runStep(
    node: WorkflowNode,
    step: StepRecord,
    scope: ItemScope | null,
  ): Promise<StepEnd> {
    const { render, warnings } = createRender(deps, data, scope);
    try {
      const ctx = {
        render,
        findOwner: () => deps.findOwner(run),
        run,
        nodeId: node.id,
        item: step.item,
        now: deps.now,
      };
      const opened = await openStep(deps.nodeTypes, ctx, node);
      step.input = sealer.toInputText(opened.input);
      if (warnings.length > 0) step.warnings = sealer.sealMessage(JSON.stringify(warnings));
      if (opened.hasEffects) await deps.commits.commit({ steps: [step] });
      const idempotencyKey = `${run.id}:${node.id}:${step.item}:0`;
      const { signal } = early;
      const logFailure = (err: unknown) => deps.logFailure(err, { runId: run.id, nodeId: node.id });
      const end = await tryStep({ ...deps, logFailure }, { node, opened, idempotencyKey, signal });
      step.tries = end.tries;
      step.callRunId = end.callRunId;
      return { ...end, step };
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      const failure = toStepFailure(thrown);
      if (failure.code === "internal") deps.logFailure(thrown, { runId: run.id, nodeId: node.id });
      return { kind: "failed", step, failure };
    }
  }

  async function settle(node: WorkflowNode, end: StepEnd): Promise<void> {
    const { step } = end;
    if (end.kind === "unsure") return noteUnsure(step, sealer.sealMessage(end.failure.message));
    if (end.kind === "failed")
      return await failNode(node, { ...step, ...endOf("failed") }, end.failure);
    const { outcome } = end;
    switch (outcome.kind) {
      case "done": {
        const output = sealer.seal(outcome.output);
        const answer =
          outcome.answer === undefined ? null : JSON.stringify(sealer.seal(outcome.answer));
        return await storeOutput(node, step, {
          output,
          answer,
          caseName: outcome.caseName ?? null,
        });
      }
      case "sleep": {
        const output = sealer.toOutputText(sealer.seal(outcome.output));
        const waiting = { ...step, state: "waiting" as const, wakeAt: outcome.until, output };
        await deps.commits.commit({ steps: [waiting] });
        return noteWaiting(node, waiting);
      }
      case "start_run":
        return await startChild(node, step, outcome);
      case "fail_run": {
        const { message, severity } = outcome;
        const failure = toStepFailure(new HubError("run_failed", message));
        await commitFailed({ ...step, ...endOf("failed") }, failure);
        ending ??= {
          state: "failed",
          failure: { ...toRunFailure(node.id, failure), ...(severity !== null && { severity }) },
        };
      }
    }
  }

  async function storeOutput(
    node: WorkflowNode,
    step: StepRecord,
    { output, answer, caseName }: { output: Json; answer: string | null; caseName: string | null },
  ): Promise<void> {
    const scheduled = deps.findScheduled(start, output);
    const starts = scheduled !== null && "run" in scheduled ? [scheduled.run] : [];
    const warnings = scheduled !== null && "warning" in scheduled ? [scheduled.warning] : [];
    let text: string;
    try {
      text = sealer.toOutputText(output);
    } catch (thrown) {
      return await failNode(node, { ...step, ...endOf("failed") }, toStepFailure(thrown));
    }
    const ended = addWarnings({ ...step, ...endOf("succeeded"), caseName, output: text }, warnings);
    await finishNode(node, ended, text, { answer, starts, output });
  }

  /** Stores the end of a node, and then lets the next ones start. */
  async function finishNode(
    node: WorkflowNode,
    step: StepRecord,
    outputText: string | null,
    more: { answer: string | null; starts: AcceptWrite[]; output: Json } | null,
  ): Promise<void> {
    const { answer = null, starts = [] } = more ?? {};
    data.Node[node.id] =
      more === null ? (outputText === null ? null : parseJson(outputText)) : more.output;
    lastNode = node.id;
    progress.complete(node.id, { caseName: step.caseName });
    const stored = { ...step, position: position++ };
    // The last step ends the run in its own commit.
    const isLast = starts.length === 0 && active === 1 && isAllDone();
    const turn = isLast ? toEnd({ state: "succeeded", failure: null }) : undefined;
    const { acceptances, next } = await deps.commits.commit({
      steps: [stored],
      answer,
      starts,
      ...(turn !== undefined && { turn }),
    });
    if (isLast) isOver = { next };
    if (acceptances.some(({ kind }) => kind === "dropped")) {
      const warning = "The scheduled run was refused: the workflow has too many that wait.";
      await deps.commits.commit({ steps: [addWarnings(stored, [warning])] });
    }
  }

  function isAllDone(): boolean {
    return !isStopping() && !progress.hasReady() && asleep.size === 0 && children.size === 0;
  }

  async function startChild(
    node: WorkflowNode,
    step: StepRecord,
    outcome: Extract<StepOutcome, { kind: "start_run" }>,
  ): Promise<void> {
    try {
      const child = await deps.prepareChild(start, outcome);
      const childRunId = child.run.id;
      const output = outcome.waits ? null : JSON.stringify(childRunId);
      const state = outcome.waits ? { state: "waiting" as const } : endOf("succeeded");
      const stored = { ...step, ...state, childRunId, output, position: position++ };
      const { acceptances } = await deps.commits.commit({ steps: [stored], starts: [child] });
      if (acceptances[0]?.kind === "dropped") {
        throw new HubError(
          "rate_limited",
          `The workflow ${outcome.workflowId} has no room for another run.`,
        );
      }
      if (outcome.waits) return noteWaiting(node, stored);
      await finishNode(node, stored, output, null);
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      await failNode(node, { ...step, ...endOf("failed") }, toStepFailure(thrown));
    }
  }

  /** An item of `for_each`: its output, or the thrown failure of the whole node. */
  async function settleItem(
    node: WorkflowNode,
    end: StepEnd | { kind: "child"; step: StepRecord },
  ): Promise<Json> {
    const { step } = end;
    if (end.kind === "unsure") {
      noteUnsure(step, sealer.sealMessage(end.failure.message));
      return null;
    }
    try {
      if (end.kind === "failed") throw end.failure;
      const output =
        end.kind === "child" ? await awaitChild(step) : await finishItem(step, end.outcome);
      const text = sealer.toOutputText(output);
      const stored = { ...step, ...endOf("succeeded"), output: text, position: position++ };
      await deps.commits.commit({ steps: [stored] });
      return output;
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      const failure = end.kind === "failed" ? end.failure : toStepFailure(thrown);
      const output = toErrorOutput(failure);
      const text = JSON.stringify(output);
      await commitFailed({ ...step, ...endOf("failed"), output: text }, failure);
      if (node.on_error === "continue") return output;
      throw new HubError("run_failed", `Item ${step.item} failed: ${failure.message}`);
    }
  }

  async function finishItem(step: StepRecord, outcome: StepOutcome): Promise<Json> {
    if (outcome.kind === "done") return sealer.seal(outcome.output);
    if (outcome.kind !== "start_run") throw new Error(`An item cannot end with ${outcome.kind}`);
    const child = await deps.prepareChild(start, outcome);
    const childRunId = child.run.id;
    step.childRunId = childRunId;
    const waiting = { ...step, state: "waiting" as const, position: position++ };
    const { acceptances } = await deps.commits.commit({ steps: [waiting], starts: [child] });
    if (acceptances[0]?.kind === "dropped") {
      throw new HubError("rate_limited", "The other workflow has no room for another run.");
    }
    return outcome.waits ? await awaitChild(step) : childRunId;
  }

  async function awaitChild({ childRunId }: StepRecord): Promise<Json> {
    if (childRunId === null) throw new Error("The item has started no other run");
    await deps.waitForRun(childRunId, early.signal);
    const end = await deps.findChildEnd(start, childRunId);
    if (end === null) throw new HubError("cancelled", "The run ended before the other one did.");
    return toChildOutput(end);
  }

  async function failNode(
    node: WorkflowNode,
    step: StepRecord,
    failure: StepFailure,
  ): Promise<void> {
    if (early.signal.aborted) {
      await commitFailed({ ...step, state: "cancelled" }, failure);
      return;
    }
    if (node.on_error === "fail") {
      await commitFailed(step, failure);
      ending ??= { state: "failed", failure: toRunFailure(node.id, failure) };
      return;
    }
    const output = sealer.seal(toErrorOutput(failure));
    const text = JSON.stringify(output);
    const caseName = node.on_error === "route" ? errorCase : null;
    const error = toErrorText(failure);
    await finishNode(node, { ...step, output: text, caseName, error }, text, null);
  }

  async function commitFailed(step: StepRecord, failure: StepFailure): Promise<void> {
    const stored = { ...step, error: toErrorText(failure), position: position++ };
    await deps.commits.commit({ steps: [stored] });
  }

  /** With nothing in flight: ends the run or lets it wait. Null if it goes on. */
  async function leave(): Promise<{ next: ClaimedRun | null } | null> {
    if (ending !== null) return await commitTurn(await toEndCommit(ending));
    if (isHandingOver) return await park(deps.now(), { kind: "handover" });
    if (unsure !== null) return await park(null, { kind: "person", ...unsure });
    if (progress.hasReady()) return null;
    const wakeAt = Math.min(...[...asleep.values()].map((step) => step.wakeAt));
    if (wakeAt - deps.now() <= napMsMax && asleep.size > 0) {
      await nextChange();
      return null;
    }
    if (asleep.size > 0 || children.size > 0) {
      const nodes = [...asleep.keys(), ...children.keys()];
      const runs = [...children.values()].map(({ childRunId }) => childRunId);
      const waitingFor = { kind: asleep.size > 0 ? "time" : "run", node_ids: nodes, run_ids: runs };
      return await park(asleep.size > 0 ? wakeAt : null, waitingFor);
    }
    return await commitTurn({ turn: toEnd({ state: "succeeded", failure: null }) });
  }

  async function toEndCommit(end: Ending): Promise<RunCommit> {
    const cancelled = [...asleep.values(), ...children.values()].map(({ step }) => ({
      ...step,
      ...endOf("cancelled"),
    }));
    const starts = end.state === "failed" ? await deps.findErrorRuns(start, end.failure) : [];
    return { steps: cancelled, starts, turn: toEnd(end) };
  }

  async function commitTurn(commit: RunCommit): Promise<{ next: ClaimedRun | null }> {
    const { next } = await deps.commits.commit(commit);
    return { next };
  }

  function park(dueAt: number | null, waitingFor: object): Promise<{ next: ClaimedRun | null }> {
    const text = JSON.stringify(waitingFor);
    return commitTurn({
      turn: { kind: "park", dueAt, waitingFor: text, activeMs: toActiveMs() },
    });
  }

  function toEnd(end: {
    state: "succeeded" | Ending["state"];
    failure: RunFailure | null;
  }): RunTurn {
    const { state, failure } = end;
    return {
      kind: "end",
      state,
      error: failure === null ? null : toFailureText(failure),
      lastNode,
      waiterRunId: run.waiterRunId,
      activeMs: toActiveMs(),
      queue,
      claimBy: deps.findNextOwner(),
    };
  }

  function toActiveMs(): number {
    return run.activeMs + Math.max(deps.now() - claimedAt, 0);
  }

  /** Resolves when something changed, or when the next sleep is over. */
  async function nextChange(): Promise<void> {
    const { promise } = change;
    const wakeAt = Math.min(...[...asleep.values()].map((step) => step.wakeAt));
    if (!Number.isFinite(wakeAt)) return await promise;
    const clear = deps.timers.after(Math.max(wakeAt - deps.now(), 0), noteChange);
    await promise.finally(clear);
  }

  function newStep(nodeId: string, item: number): StepRecord {
    return {
      nodeId,
      item,
      position,
      state: "running",
      tries: 1,
      startedAt: deps.now(),
      endedAt: null,
      wakeAt: null,
      caseName: null,
      callRunId: null,
      childRunId: null,
      error: null,
      warnings: null,
      input: null,
      output: null,
    };
  }

  function endOf<State extends "succeeded" | "failed" | "cancelled">(state: State) {
    return { state, endedAt: deps.now(), wakeAt: null };
  }

  function toRunFailure(nodeId: string | null, { message, code }: StepFailure): RunFailure {
    const { severity } = body.settings;
    return { nodeId, message: sealer.sealMessage(message), code, severity };
  }

  function toErrorText({ code, message }: StepFailure): string {
    return JSON.stringify({ code, message: sealer.sealMessage(message) });
  }
}

function toErrorOutput({ message, code }: StepFailure): Json {
  return { error: message, code };
}

function toChildOutput(end: ChildEnd): Json {
  if (end.state === "succeeded") return end.output;
  throw new HubError("run_failed", end.message);
}

/** The failure of a step that was committed before the run could end. */
function readFailure({ error }: StepRecord): StepFailure {
  const unknown = { code: "internal", message: "The step failed." };
  const stored: Partial<typeof unknown> = error === null ? unknown : JSON.parse(error);
  return { ...unknown, ...stored, httpStatus: null, retryAfterMs: null, isUnsent: false };
}

function addWarnings(step: StepRecord, more: readonly string[]): StepRecord {
  if (more.length === 0) return step;
  const known: string[] = step.warnings === null ? [] : JSON.parse(step.warnings);
  return { ...step, warnings: JSON.stringify([...known, ...more]) };
}
