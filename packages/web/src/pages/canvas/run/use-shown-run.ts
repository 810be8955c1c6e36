import type {
  WorkflowRunDetail,
  WorkflowStep,
  WorkflowStepEvent,
} from "@hub/contract/workflow-run.ts";
import { useCallback, useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import { isActive } from "../../../workflow-parts/runs/run-states.ts";
import { useRunEvents } from "../../../workflow-parts/runs/use-run-events.ts";
import type { Edge } from "../graph/body.ts";
import type { ItemLook, LinkLook } from "../graph/flow.ts";
import {
  countOutputs,
  findLinkLook,
  findLook,
  groupSteps,
  markUndecided,
} from "./steps/step-looks.ts";

/** How often the values of a run that goes on are read again. */
const everyMs = 1_500;

/** A run as the graph shows it: live while it goes on. */
export type ShownRun = {
  run: WorkflowRunDetail;
  isGoing: boolean;
  /** The last event of each node, or of each item of its `for_each`. */
  steps: readonly WorkflowStepEvent[];
  /** The steps with their values, of the node and of its items. */
  findSteps: (id: string) => readonly WorkflowStep[];
  toLook: (id: string) => ItemLook;
  toLinkLook: (link: Edge) => LinkLook;
};

/** Follows a run of a workflow. `run` is undefined until it is read. */
export function useShownRun(workflow: string, id: string | null) {
  const params = { workflow, run: id ?? "" };
  const detail = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params },
    { isOn: id !== null },
  );
  const isGoing =
    id !== null && (detail.data === undefined ? detail.error === null : isActive(detail.data));
  const live = useRunEvents(isGoing ? { workflow, run: id } : null);
  // The same reading, again and again while the run goes on.
  useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params },
    { isOn: isGoing, everyMs },
  );
  const { data } = detail;
  const stored = useMemo(
    () => (data?.steps == null ? null : markUndecided(data.steps, data)),
    [data],
  );
  const steps: readonly WorkflowStepEvent[] = useMemo(
    () =>
      live.steps.length > 0 && data !== undefined
        ? markUndecided(live.steps, data)
        : (stored ?? []),
    [live.steps, stored, data],
  );
  const groups = useMemo(() => groupSteps(steps), [steps]);
  const counts = useMemo(() => countOutputs(stored ?? []), [stored]);
  const trigger = detail.data?.trigger_id;
  const toLook = useCallback((node: string) => findLook(groups, node, trigger), [groups, trigger]);
  const toLinkLook = useCallback(
    (link: Edge) => findLinkLook(groups, link, trigger, counts),
    [groups, trigger, counts],
  );
  const findSteps = useCallback(
    (node: string) => (stored ?? []).filter(({ node_id }) => node_id === node),
    [stored],
  );
  const run = detail.data === undefined ? undefined : { ...detail.data, ...live.ended };
  const shown: ShownRun | undefined =
    run === undefined
      ? undefined
      : { run, isGoing: isGoing && live.ended === null, steps, findSteps, toLook, toLinkLook };
  return { detail, shown };
}

/** Whether there is something wrong to look at: the run failed, or waits for a decision. */
export function needsAttention({ run }: Pick<ShownRun, "run">): boolean {
  return run.state === "failed" || Object(run.waiting_for).kind === "person";
}

/** Whether the run goes on after a decision. */
export function waitsForPerson(shown: Pick<ShownRun, "run" | "isGoing">): boolean {
  return shown.isGoing && needsAttention(shown);
}
