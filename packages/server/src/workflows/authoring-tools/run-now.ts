import type { WorkflowDryRun, WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { listStepMarks } from "../../store/workflow-runs/workflow-steps.ts";
import { showRunBody } from "../runs/show-run-body.ts";
import { isServed, queuedNote } from "../runs/start/is-served.ts";
import { startRun, waitMsMax } from "../runs/start/start-run.ts";
import type { OperationDeps } from "./define-operation.ts";
import { checkNotFromWorkflow, findTrialEnd } from "./model-rights.ts";
import { readRunForModel } from "./read-run-for-model.ts";
import { checkOwnsDraft } from "./save-own-draft.ts";
import { sealOpened } from "./seal-opened.ts";
import type { WorkflowCall } from "./workflow-call.ts";

export type RunNowInput = {
  workflowId: string;
  triggerId: string | undefined;
  payload: unknown;
  isDraft: boolean;
  dryRun: WorkflowDryRun;
  /** How long to wait for the end, in seconds. */
  waitS: number;
};

/** Starts a run for a model. */
export async function runNow(
  deps: OperationDeps,
  call: WorkflowCall,
  { workflowId, triggerId, payload, isDraft, dryRun, waitS }: RunNowInput,
): Promise<WorkflowOutcome & { note?: string; steps?: object[] }> {
  const { caller } = call;
  // The depth of such a run would not be counted, so two workflows could start each other forever.
  checkNotFromWorkflow(call);
  const waitMs = toWaitMs(waitS);
  const isTrial = isDraft || dryRun.dry_run === true;
  checkOnlyNode(dryRun, isTrial);
  if (isDraft) await checkOwnsDraft(deps, call, workflowId);
  const served = await isServed(deps);
  const outcome = await startRun(deps, caller, workflowId, {
    triggerId,
    payload: sealOpened(deps, call, payload),
    isDraft,
    dryRun,
    ...(isTrial && { endsAt: findTrialEnd(deps, call) }),
    waitMs: served ? waitMs : 0,
    hubs: call.hubs,
  });
  if (!served) return { ...outcome, note: queuedNote };
  if (!isTrial) return outcome;
  const target = { workflow: workflowId, run: outcome.run_id };
  const isUnknown = outcome.state === "unknown";
  const onlyNode = dryRun.only_node;
  return {
    ...outcome,
    ...(isUnknown && { note: await explainUnknown(deps, caller, target, onlyNode) }),
    steps: await listStepResults(deps, caller, target, onlyNode),
  };
}

/** A node of a published workflow alone would run without the conditions and approvals before it. */
function checkOnlyNode({ only_node: onlyNode }: WorkflowDryRun, isTrial: boolean): void {
  if (onlyNode === undefined || isTrial) return;
  throw new HubError(
    "bad_request",
    "only_node tests a node of the draft. Add draft: true, or dry_run: true to send nothing.",
  );
}

type RunTarget = { workflow: string; run: string };

/** What a dry run says whose outputs are not all known. */
async function explainUnknown(
  deps: OperationDeps,
  caller: Caller,
  target: RunTarget,
  onlyNode: string | undefined,
): Promise<string> {
  if (onlyNode !== undefined) return nothingSentNote;
  const marks = await listStepMarks(deps.store.db, target.run);
  const unknown = new Set<unknown>(
    marks.filter(({ state }) => state === "unknown").map(({ nodeId }) => nodeId),
  );
  const { body } = await showRunBody(deps, caller, target);
  const edges: unknown = Object(body).edges;
  const isLeftOut = Array.isArray(edges) && edges.some((edge) => unknown.has(Object(edge).from));
  return isLeftOut ? leftOutNote : nothingSentNote;
}

const nothingSentNote =
  "Nothing was sent. The state is unknown because the steps with would_call were not made, so their outputs are not known. That is no failure.";
const leftOutNote = `${nothingSentNote} What follows from a step in state unknown did not run, because its output is not known: give it in pins to go on.`;

/** What each step of a trial came to, so that no second call is needed. With a node, only its steps. */
async function listStepResults(
  deps: OperationDeps,
  caller: Caller,
  target: RunTarget,
  onlyNode: string | undefined,
): Promise<object[]> {
  const { steps } = await readRunForModel(deps, caller, target, onlyNode, { isCut: true });
  return (steps ?? []).map(
    ({ node_id, item, state, case: taken, input, output, error, ...rest }) => ({
      node_id,
      ...(item !== null && { item }),
      state,
      ...(taken !== null && { case: taken }),
      ...(rest.would_call && { would_call: true }),
      ...(rest.is_pinned && { pinned: true }),
      ...(input !== null && { input }),
      ...(output !== null && { output }),
      ...(error !== null && { error }),
      ...(rest.warnings.length > 0 && { warnings: rest.warnings }),
    }),
  );
}

export function toWaitMs(waitS: number): number {
  if (waitS >= 0 && waitS <= waitMsMax / 1000) return waitS * 1000;
  throw new HubError("bad_request", `wait_s must be from 0 to ${waitMsMax / 1000}.`);
}
