import { type Json, parseJson, toJsonText } from "@hub/connector";
import type { WorkflowDryRun } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { WorkflowRunRecord } from "../../../store/workflow-runs/workflow-run-columns.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { listStepMarks, type StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import { readPins } from "../../../store/workflows/workflow-pins.ts";
import type { RunRequest } from "../../engine/accept/prepare-run.ts";
import type { RunContext } from "../../engine/accept/run-context.ts";
import { toPinnedOutcome } from "../../engine/dry-run/pinned-outcome.ts";
import type { Plan } from "../../engine/plan.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import { loadPermittedRun } from "../load-permitted-run.ts";
import type { RunVerbDeps } from "../run-verb-deps.ts";
import { checkPins, findNode } from "./check-pins.ts";
import { listReadNodes } from "./list-read-nodes.ts";

type Asked = {
  caller: Caller;
  workflow: KnownWorkflow;
  plan: Plan;
};

/** Whether a run is asked for that is not live. Throws for pins that a live run has no use for. */
export function wantsDryRun(given: WorkflowDryRun): boolean {
  const { dry_run, only_node, pins, pins_from, draft_pins = false } = given;
  if (dry_run === true || only_node !== undefined) return true;
  if (pins === undefined && pins_from === undefined && !draft_pins) return false;
  throw new HubError(
    "bad_request",
    "A live run takes no pins. Add dry_run or only_node, or leave pins, pins_from and draft_pins out.",
  );
}

/** What a dry run, or a run of one node, is besides its trigger and its event. */
export async function toDryRun(
  deps: Pick<RunVerbDeps, "store" | "ring">,
  asked: Asked,
  { dry_run: isDry = false, only_node: onlyNode, pins_from: pinsFrom, ...rest }: WorkflowDryRun,
): Promise<Pick<RunRequest, "mode" | "context" | "takeOver" | "steps">> {
  const { caller, workflow, plan } = asked;
  const { pins: given = {}, draft_pins: addsStored = false } = rest;
  checkPins({ ring: deps.ring.current(), caller, ownerId: workflow.ownerId }, plan, given);
  const stored = addsStored ? await readStoredPins(deps, asked, onlyNode) : {};
  const pins = { ...stored, ...given };
  // Each pin is read once here, so that a wrong one is an error of the request.
  const steps = Object.entries(pins).map(([id, pin]) => {
    const node = findNode(plan, id);
    // Pins were read from JSON.
    return toPinnedStep(id, toPinnedOutcome(node, pin as Json));
  });
  const earlier = pinsFrom === undefined ? null : await findEarlier(deps, asked, pinsFrom);
  const dryContext: RunContext = {
    ...(isDry && { pins: pins as Record<string, Json> }),
    ...(isDry && earlier !== null && { pinsFrom: earlier.id }),
  };
  if (onlyNode === undefined) return { mode: "dry", context: dryContext };
  if (findNode(plan, onlyNode).disabled) {
    throw new HubError(
      "bad_request",
      `The node "${onlyNode}" is switched off, so it runs nothing. Switch it on to run it.`,
    );
  }
  if (!isDry && Object.hasOwn(pins, onlyNode)) {
    throw new HubError(
      "bad_request",
      `The node "${onlyNode}" runs, so its output cannot be pinned. Add dry_run, or leave its pin out.`,
    );
  }
  const others = steps.filter(({ nodeId }) => nodeId !== onlyNode);
  const taken = await listTaken(deps, { plan, onlyNode, pins, earlier });
  return {
    mode: isDry ? "dry" : "node",
    context: { ...dryContext, isAlone: true },
    steps: others,
    ...(earlier !== null && {
      takeOver: {
        runId: earlier.id,
        isResume: false,
        nodeIds: taken,
        partNodeIds: [],
        flag: "pinned",
      },
    }),
  };
}

/** The pins of the draft, without those of nodes that the body does not have and of the node that runs. */
async function readStoredPins(
  { store }: Pick<RunVerbDeps, "store">,
  { workflow, plan }: Asked,
  onlyNode: string | undefined,
): Promise<Record<string, unknown>> {
  const scope = { workflowId: workflow.id, ownerId: workflow.ownerId };
  const pins = [...(await readPins(store.db, scope))].filter(
    ([id]) => plan.graph.nodes.has(id) && id !== onlyNode,
  );
  return Object.fromEntries(pins.map(([id, output]) => [id, parseJson(output)]));
}

/** A run of the same workflow and the same owner. */
export async function findEarlier(
  deps: Pick<RunVerbDeps, "store">,
  { caller, workflow }: Pick<Asked, "caller" | "workflow">,
  runId: string,
): Promise<WorkflowRunRecord> {
  const { run } = await loadPermittedRun(
    deps,
    caller,
    { workflow: workflow.id, run: runId },
    "manage",
  );
  if (run.ownerId === workflow.ownerId) return run;
  // Its outputs hold value tokens that do not open for the owner of now.
  throw new HubError(
    "conflict",
    "The earlier run belongs to a former owner of the workflow, so its outputs cannot be used.",
  );
}

/** The nodes whose outputs in the earlier run the node gets. Throws for an output that is missing. */
async function listTaken(
  { store }: Pick<RunVerbDeps, "store">,
  {
    plan,
    onlyNode,
    pins,
    earlier,
  }: {
    plan: Plan;
    onlyNode: string;
    pins: WorkflowDryRun["pins"];
    earlier: WorkflowRunRecord | null;
  },
): Promise<string[]> {
  const node = findNode(plan, onlyNode);
  const marks = earlier === null ? [] : await listStepMarks(store.db, earlier.id);
  const ended = new Set(
    marks
      .filter((mark) => mark.item === -1 && hasOutputOfNow(plan, mark))
      .map(({ nodeId }) => nodeId),
  );
  const reads = listReadNodes(node);
  for (const [id, { isTested }] of reads) {
    if (isTested || ended.has(id) || Object.hasOwn(pins ?? {}, id)) continue;
    const where = earlier === null ? "is not pinned" : "is neither pinned nor in the earlier run";
    throw new HubError(
      "bad_request",
      `The node "${onlyNode}" reads the output of "${id}", which ${where}. Add it to pins${earlier === null ? ", or name a run in pins_from" : ""}.`,
    );
  }
  // What a script reads is known when it runs.
  const wanted = node.type === "code" ? [...ended] : [...reads.keys()];
  return wanted.filter((id) => ended.has(id) && id !== onlyNode && plan.graph.nodes.has(id));
}

/** Whether the node would give its output in a run of now, too: it ran and is on, or it was and is switched off. */
function hasOutputOfNow({ graph }: Plan, { nodeId, state }: StepMark): boolean {
  return state === (graph.nodes.get(nodeId)?.disabled === true ? "skipped" : "succeeded");
}

function toPinnedStep(nodeId: string, { output, caseName }: { output: Json; caseName?: string }) {
  const none = { wakeAt: null, callRunId: null, childRunId: null, error: null, warnings: null };
  const step: StepRecord = {
    ...none,
    nodeId,
    item: -1,
    position: 0,
    state: "succeeded",
    tries: 1,
    startedAt: 0,
    endedAt: 0,
    caseName: caseName ?? null,
    input: null,
    output: toJsonText(output),
    flags: JSON.stringify(["pinned"]),
  };
  return step;
}
