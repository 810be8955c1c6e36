import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";

/** The calls of a run about which people were asked, by the try of the step that makes them. */
export type AskedSteps = ReadonlyMap<string, AskedCall>;

export type StepTry = Pick<StepRecord, "nodeId" | "item" | "tries">;

/** `calls` are oldest first: of two with the same step, the newer one counts. */
export function toAskedSteps(calls: readonly AskedCall[]): AskedSteps {
  return new Map(
    calls.map((call) => {
      const { nodeId, item, attempt } = call.step;
      return [toKey({ nodeId, item, tries: attempt }), call];
    }),
  );
}

export function findAsked(asked: AskedSteps, step: StepTry): AskedCall | null {
  return asked.get(toKey(step)) ?? null;
}

/**
 * The same for a step that was interrupted: null if its call may have begun without an answer. Otherwise nothing of the
 * call is unknown, and the step goes on with it.
 */
export function findKnown(asked: AskedSteps, step: StepTry): AskedCall | null {
  const call = findAsked(asked, step);
  return call === null || call.state === "running" || call.state === "unknown" ? null : call;
}

function toKey({ nodeId, item, tries }: StepTry): string {
  return `${nodeId}:${item}:${tries}`;
}
