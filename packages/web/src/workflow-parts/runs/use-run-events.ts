import type { WorkflowRun, WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { asApiError } from "../../api/api-error.ts";
import { readAgain } from "../../api/read-again.ts";
import { useApiClient } from "../../api/use-api.ts";
import { workflowRunRoutes } from "../workflow-routes.ts";

/** What is known of a run while it goes on. */
export type LiveRun = {
  /** The last event of each node, or of each item of its `for_each`, in the order of the events. */
  steps: readonly WorkflowStepEvent[];
  /** The run when it has ended. */
  ended: WorkflowRun | null;
};

const nothing: LiveRun = { steps: [], ended: null };
/** A pause after a failed connection. A stream that ended in time is opened again at once. */
const pauseMs = 2_000;

type Address = { workflow: string; run: string };

/**
 * Follows a run by server-sent events until it ends, and reads again what shows runs then. Without a run it
 * does nothing. Give one run at a time: a browser opens six connections to a hub.
 */
export function useRunEvents(
  address: Address | null,
  onStep?: (step: WorkflowStepEvent) => void,
): LiveRun {
  const api = useApiClient();
  const queries = useQueryClient();
  const [live, setLive] = useState(nothing);
  const workflow = address?.workflow;
  const run = address?.run;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new onStep is no reason to connect again.
  useEffect(() => {
    setLive(nothing);
    if (workflow === undefined || run === undefined) return;
    const ended = new AbortController();
    const { signal } = ended;
    const steps = new Map<string, WorkflowStepEvent>();
    let frame = 0;
    // A for_each has up to 10,000 items: what arrives together is shown together.
    const show = () => {
      frame = 0;
      setLive((before) => ({ ...before, steps: [...steps.values()] }));
    };
    const onEvent = (event: Partial<RunEvent>) => {
      if (event.step !== undefined) {
        const { step } = event;
        steps.set(`${step.node_id} ${step.item}`, step);
        frame ||= requestAnimationFrame(show);
        onStep?.(step);
      }
      if (event.run !== undefined) {
        const { run } = event;
        setLive({ steps: [...steps.values()], ended: run });
        void readAgain(queries, workflowRunRoutes);
        ended.abort();
      }
    };
    const follow = async () => {
      while (!signal.aborted) {
        try {
          const route = "GET /manager/api/workflows/{workflow}/runs/{run}/events" as const;
          await api.listen(route, { params: { workflow, run } }, { onEvent, signal });
        } catch (thrown) {
          if (signal.aborted) return;
          const { code } = asApiError(thrown);
          if (code === "not_found" || code === "forbidden") return;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      }
    };
    void follow();
    return () => {
      ended.abort();
      cancelAnimationFrame(frame);
    };
  }, [api, queries, workflow, run]);
  return live;
}

type RunEvent = { step: WorkflowStepEvent; run: WorkflowRun };
