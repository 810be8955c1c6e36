import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { workflowId } from "../fields.ts";

export function defineWorkflowRunNow(deps: OperationDeps) {
  return defineOperation({
    name: "Start a run",
    description:
      "Start a run of a workflow by its manual trigger.\n\nThe run acts with the rights of the workflow's owner, so confirm with the user what it will do. Read manual_triggers of workflow_get first: they say which payload is valid. Returns run_id and state. Without wait_s the state is mostly queued or running: look later with workflow_run_get. With wait_s it returns when the run ends or the time is over; a run that succeeded has its last output, a failed one its error. If note is present, no server works on runs now and the run waits for one.",
    destructive: true,
    input: {
      workflow_id: workflowId,
      trigger_id: wick("desc=The manual trigger. Needed only if there are several."),
      payload: wick.json(
        'desc=An object with the fields of the trigger, such as {"account": "42"}.',
      ),
      draft: wick.bool(
        "desc=Run the draft instead of the published version. Only for a workflow that you own.",
      ),
      wait_s: wick.float("desc=How long to wait for the end of the run, 0 to 30 seconds."),
    },
    examples: [
      {
        description: "Start it and wait for its result",
        params: {
          workflow_id: "daily-report-k3x9qa",
          payload: { account: "42" },
          wait_s: 20,
        },
      },
    ],
    async run({ params, ...call }) {
      const { runNow } = await import("../run-now.ts");
      return await runNow(deps, call, {
        workflowId: params.workflow_id,
        triggerId: params.trigger_id,
        payload: params.payload,
        isDraft: params.draft === true,
        waitS: params.wait_s ?? 0,
      });
    },
  });
}
