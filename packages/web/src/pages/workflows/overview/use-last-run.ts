import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import type { PictureLooks } from "../../../workflow-parts/picture/drawn-graph.tsx";
import {
  findLinkLook,
  findLook,
  groupSteps,
  markUndecided,
} from "../../canvas/run/steps/step-looks.ts";

/** While a run goes on. */
const everyMs = 3_000;

/** The live runs that do not wait for their time. */
export function listLiveRuns(runs: readonly WorkflowRun[]): WorkflowRun[] {
  return runs.filter(
    ({ mode, state, scheduled_at: at }) => mode === "live" && (state !== "queued" || at === null),
  );
}

/** The newest of them that was not dropped. */
export function findLastRun(runs: readonly WorkflowRun[]): WorkflowRun | null {
  return listLiveRuns(runs).find(({ state }) => state !== "dropped") ?? null;
}

/** How a run went, for a picture of its workflow. Undefined before it is known. */
export function useRunLooks(
  { id: workflow, access }: WorkflowDetail,
  run: WorkflowRun | null,
): PictureLooks | undefined {
  const events = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}/events",
    { params: { workflow, run: run?.id ?? "" }, query: { items: "false" } },
    {
      isOn: access === "manage" && run !== null,
      // The run itself is its last event.
      everyMs: (last) => (last?.events.some((event) => "run" in event) ? undefined : everyMs),
    },
  );
  const { data } = events;
  return useMemo(() => {
    if (data === undefined || run === null) return undefined;
    const steps = data.events.flatMap((event) => ("step" in event ? [event.step] : []));
    const groups = groupSteps(markUndecided(steps, run));
    return {
      toLook: (id) => findLook(groups, id, run.trigger_id),
      toLinkLook: (link) => findLinkLook(groups, link, run.trigger_id),
    };
  }, [data, run]);
}
