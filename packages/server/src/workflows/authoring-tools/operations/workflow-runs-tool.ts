import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { after, limit, toPage, toState, workflowId } from "../input-fields.ts";

export function defineWorkflowRuns(deps: OperationDeps) {
  return defineOperation({
    name: "List runs",
    description:
      "List the runs of one workflow, newest first.\n\nstate is queued, running, waiting, succeeded, failed, cancelled or dropped; the last four are final. The owner and admins also see why a run failed and who started it. Use workflow_run_get for the steps of a run. If next is not null, pass it as after to get the next page.",
    reads: true,
    input: {
      workflow_id: workflowId,
      state: wick(
        "dropdown=queued|running|waiting|succeeded|failed|cancelled|dropped;desc=Only runs in this state.",
      ),
      limit,
      after,
    },
    examples: [
      {
        description: "The last failures",
        params: { workflow_id: "daily-report-k3x9qa", state: "failed", limit: 5 },
      },
    ],
    async run({ caller, params }) {
      const { listRuns } = await import("../../runs/list-workflow-runs.ts");
      const { items, next } = await listRuns(deps, caller, params.workflow_id, {
        state: toState(params.state),
        ...toPage(params),
      });
      return { runs: items, next };
    },
  });
}
