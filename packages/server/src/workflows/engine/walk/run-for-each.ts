import { type Json, parseJson, toJsonText } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { outputBytesMax } from "../secrets/seal-steps.ts";
import type { ItemScope } from "../step/create-render.ts";
import { refuseStep } from "../step/step-failure.ts";

const itemsMax = 10_000;
const tooLarge = "The outputs of the items are larger than 1 MiB together. Return less from each.";

type Items = {
  node: WorkflowNode;
  list: Json;
  /** Items that were committed before a restart. */
  done: ReadonlyMap<number, StepRecord>;
  /** Whether no further item may start, or not this one that has begun before. */
  stops(known?: StepRecord): boolean;
};

/**
 * Runs a node once for each item of a list, several at a time. Returns the outputs in the order of the
 * list, or null if it stopped before the end. After a failure no further item starts, and those in
 * flight end first.
 */
export async function runForEach(
  { node, list: given, done, stops }: Items,
  runItem: (scope: ItemScope) => Promise<Json>,
): Promise<Json[] | null> {
  let outputBytes = 0;
  if (!Array.isArray(given)) {
    const found = given === null ? "null or what is missing" : `a value of type ${typeof given}`;
    throw refuseStep(`\`for_each\` must give a list, and gives ${found}. Check its template.`);
  }
  const list: Json[] = given;
  if (list.length > itemsMax) {
    throw refuseStep(
      `\`for_each\` gives ${list.length} items, and at most ${itemsMax} are allowed.`,
    );
  }
  const outputs = new Array<Json>(list.length).fill(null);
  const failures: unknown[] = [];
  let started = 0;
  let isComplete = true;
  const itemsAtOnce = "items_at_once" in node ? node.items_at_once : 1;

  async function work(): Promise<void> {
    while (started < list.length && failures.length === 0) {
      const index = started++;
      const known = done.get(index);
      if (known?.state === "succeeded" || isKept(node, known)) {
        outputs[index] = known?.output ? parseJson(known.output) : null;
        continue;
      }
      if (stops(known)) {
        isComplete = false;
        return;
      }
      try {
        const output = await runItem({ item: list[index], index });
        outputBytes += Buffer.byteLength(toJsonText(output));
        // Before all items have run: their outputs are in memory together.
        if (outputBytes > outputBytesMax) throw refuseStep(tooLarge);
        outputs[index] = output;
      } catch (failure) {
        failures.push(failure);
      }
    }
  }

  await Promise.all(Array.from({ length: itemsAtOnce }, work));
  if (failures.length > 0) throw failures[0];
  return isComplete && !stops() ? outputs : null;
}

/** Whether a failed item has its error as output. */
function isKept(node: WorkflowNode, known: StepRecord | undefined): boolean {
  return known?.state === "failed" && node.on_error === "continue";
}
