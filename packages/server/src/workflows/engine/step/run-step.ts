import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { dryRunStep } from "../dry-run/dry-run-step.ts";
import type { WalkContext, WalkStart } from "../walk/walk-state.ts";
import { checkApproved } from "./check-approved.ts";
import { createLookahead } from "./create-lookahead.ts";
import { createRender, type ItemScope } from "./create-render.ts";
import { openStep } from "./open-step.ts";
import type { StepEnd } from "./step-end.ts";
import { mayHaveHappened, toStepFailure } from "./step-failure.ts";
import { addFlag } from "./step-records.ts";
import { toCodeInputs } from "./to-code-inputs.ts";
import { tryStep } from "./try-step.ts";

/**
 * Renders and tries one step. If it has effects, what it follows from is stored first, and its beginning
 * if they may happen only once.
 */
export async function runStep(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  scope: ItemScope | null,
  asked: AskedCall | null = null,
): Promise<StepEnd> {
  const { deps, start, early } = walk;
  const { run, data, sealer, hasLargeEvent } = start;
  try {
    const { now } = deps;
    const { findOwner } = deps.reads;
    const useRow = async (toolId: string) => {
      const row = await deps.reads.findUsedRow(toolId);
      if (row !== null) sealer.useRow(row);
    };
    const { opened, warnings } = await deps.waitForDatabase(async () => {
      const { render, warnings } = createRender(deps, data, scope);
      const { sealSent: seal, cutText } = sealer;
      const lookahead = createLookahead(walk);
      const ctx = {
        render,
        findOwner,
        useRow,
        seal,
        cutText,
        run,
        lookahead,
        now,
        readInputs: () => toCodeInputs(walk, node.id, scope),
        nodeId: node.id,
        item: step.item,
        asked,
        endAsked: (id: string) => deps.reads.endAskedCall(id, "ended"),
      };
      const open = () => openStep(deps.nodeTypes, ctx, node);
      return { opened: await deps.computeSlices.run(run.ownerId, open), warnings };
    });
    if (hasLargeEvent) await yieldToEventLoop();
    // Of a call that people have approved, the first one is what they were shown.
    if (asked === null || step.input === null) {
      sealer.checkTokens(opened.input);
      if (hasLargeEvent) await yieldToEventLoop();
      step.input = sealer.toInputText(opened.input);
    }
    if (hasLargeEvent) await yieldToEventLoop();
    if (warnings.length > 0) step.warnings = JSON.stringify(warnings.map(sealer.sealMessage));
    if (run.mode === "dry") {
      const dryRunEnd = await dryRunStep(walk, node, { step, opened });
      if (dryRunEnd !== null) return dryRunEnd;
    }
    if (asked === null) await checkApproved(walk, node, opened, scope);
    let isStored = opened.effects === "none";
    let isBegun = false;
    const begin = async () => {
      isBegun = true;
      if (isStored) return;
      if (opened.effects === "once") await deps.commits.commit({ steps: [step] });
      else await deps.commits.flush();
      isStored = true;
    };
    const enterCall = (signal: AbortSignal) => deps.enterCall({ owner: run.ownerId }, signal);
    const idempotencyKey = toIdempotencyKey(start, step);
    const logFailure = (err: unknown) => deps.logFailure(err, node.id);
    let recorded: readonly string[] = [];
    const recordWarnings = (lines: readonly string[]) => {
      recorded = lines;
    };
    const { tries: firstTry } = step;
    const tries = { node, opened, idempotencyKey, firstTry, begin, recordWarnings, signal: early };
    const end = await tryStep({ timers: deps.timers, logFailure, enterCall }, tries);
    step.tries = end.tries;
    step.callRunId = end.callRunId;
    if (recorded.length > 0) {
      step.warnings = JSON.stringify([...warnings, ...recorded].map(sealer.sealMessage));
    }
    if (end.kind === "failed" && isBegun && opened.effects === "once") {
      if (mayHaveHappened(end.failure)) addFlag(step, "unsure");
    }
    return { ...end, step };
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    const failure = toStepFailure(thrown);
    if (failure.code === "internal") deps.logFailure(thrown, node.id);
    return { kind: "failed", step, failure };
  }
}

/**
 * The same for each try of a step, also in runs that resume others, so that outside systems recognize a
 * repetition. After a refusal, the next try is another request.
 */
function toIdempotencyKey(
  { run, context }: WalkStart,
  { nodeId, item }: Pick<StepRecord, "nodeId" | "item">,
): string {
  const generation = context.generations?.[`${nodeId}:${item}`] ?? 0;
  return `${run.originRunId ?? run.id}:${nodeId}:${item}:${generation}`;
}
