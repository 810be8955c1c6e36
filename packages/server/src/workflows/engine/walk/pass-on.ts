import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { toFittingText } from "../secrets/seal-steps.ts";
import { toStepFailure } from "../step/step-failure.ts";
import { addWarnings, endStep, newStep } from "../step/step-records.ts";
import { failNode } from "./complete-node.ts";
import { finishNode } from "./finish-node.ts";
import type { WalkContext } from "./walk-state.ts";

const tooLarge =
  "The payload of the event is larger than 1 MiB, so this switched-off node passes null on. Nodes can read .Event.Payload.";

/**
 * Ends a node that is switched off. It runs nothing, starts no run by `schedule_at`, and its output is that of the
 * node before it: of the first taken edge in the order of the body. The first node of a run passes the payload on.
 */
export async function passOn(walk: WalkContext, node: WorkflowNode): Promise<void> {
  const step = { ...newStep(walk, node.id), tries: 0 };
  try {
    const { output, text, warnings } = await readInput(walk, node.id);
    const ended = endStep(walk, { ...step, output: text }, "skipped");
    await finishNode(walk, node, addWarnings(ended, warnings), { output });
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    // Too many copies of large outputs, in a run.
    await failNode(walk, node, step, toStepFailure(thrown));
  }
}

type Passed = { output: Json; text: string; warnings: readonly string[] };

async function readInput({ start, state }: WalkContext, nodeId: string): Promise<Passed> {
  const { data, sealer, hasLargeEvent } = start;
  const from = state.progress.findInput(nodeId);
  if (from !== null) {
    // It was sealed when its own node ended.
    const output = data.Node[from] ?? null;
    return { output, text: sealer.toOutputText(output), warnings: [] };
  }
  const payload: Json = Object(data.Event).Payload ?? null;
  const fits = toFittingText(payload) !== null;
  if (hasLargeEvent) await yieldToEventLoop();
  if (!fits) return { output: null, text: "null", warnings: [tooLarge] };
  return { ...(await sealer.sealOutput(payload)), warnings: [] };
}
