import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";

/** Cancels a run and its calls in flight. */
export function CancelRunButton({ run, size }: { run: WorkflowRun; size: "compact-xs" | "xs" }) {
  const toast = useToast();
  const cancel = useChange("POST /manager/api/workflows/{workflow}/runs/{run}/cancel", {
    refreshes: workflowRunRoutes,
    onDone: ({ cancelled }) =>
      toast({
        text: cancelled === "now" ? "The run is cancelled." : "The run is being cancelled.",
      }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return (
    <Button
      size={size}
      variant="default"
      loading={cancel.isPending}
      aria-label={`Cancel the run of ${run.trigger_id}`}
      onClick={() => cancel.run({ params: { workflow: run.workflow_id, run: run.id } })}
    >
      Cancel
    </Button>
  );
}
