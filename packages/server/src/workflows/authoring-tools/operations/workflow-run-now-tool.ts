import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { waitS, workflowId } from "../input-fields.ts";

export function defineWorkflowRunNow(deps: OperationDeps) {
  return defineOperation({
    name: "Start a run",
    description:
      "Start a run of a workflow: of the published version by its manual trigger, or with draft: true of the draft, to test it.\n\nThe run acts with the rights of the workflow's owner and really calls its tools, so confirm with the user what it will do, or use dry_run. Of a published version, manual_triggers of workflow_get say which payload is valid. Of a draft, any trigger can be tried: a webhook's payload is {body: {...}}, and nothing needs to be signed. Returns run_id and state. With wait_s it returns when the run ends or the time is over: with its last output, or its error. A draft and a dry run also return steps, each with its input, output, error or warnings. A draft run that is started here ends after 15 minutes, waits included, and schedules nothing, and its failure starts no error triggers; the same holds for runs of other workflows that it starts. note says what a dry run left out, or that the run waits because no server works on runs now.",
    destructive: true,
    input: {
      workflow_id: workflowId,
      trigger_id: wick("desc=The trigger. Needed only if there are several."),
      payload: wick.json(
        'desc=An object with the fields of the trigger, such as {"account": "42"}. The default is {}. Only a manual trigger with required fields needs one.',
      ),
      draft: wick.bool(
        "desc=Run the draft instead of the published version. Only for a workflow that your user owns. Then trigger_id may be any trigger, and payload is what its event would have.",
      ),
      dry_run: wick.bool(
        "desc=Send and change nothing: calls with side effects are only listed, with what they would send.",
      ),
      only_node: wick(
        "desc=With draft: run this node alone, with what it reads of others from pins and pins_from.",
      ),
      pins: wick.json(
        'desc=With dry_run or only_node: outputs used instead of running nodes, such as {"open": {"status": 201}}.',
      ),
      pins_from: wick(
        "desc=With dry_run or only_node: a run whose outputs are used where pins has none, and its event if there is no payload.",
      ),
      wait_s: waitS,
    },
    examples: [
      {
        description: "Test the draft of a webhook",
        params: {
          workflow_id: "orders-k3x9qa",
          draft: true,
          trigger_id: "hook",
          payload: { body: { id: 7 }, headers: {}, query: {} },
          wait_s: 20,
        },
      },
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
      const { readObjectParam } = await import("../read-object-param.ts");
      return await runNow(deps, call, {
        workflowId: params.workflow_id,
        triggerId: params.trigger_id,
        payload:
          params.payload === undefined ? undefined : readObjectParam("payload", params.payload),
        isDraft: params.draft === true,
        dryRun: {
          ...(params.dry_run === true && { dry_run: true }),
          ...(params.only_node !== undefined && { only_node: params.only_node }),
          ...(params.pins_from !== undefined && { pins_from: params.pins_from }),
          ...(params.pins !== undefined && { pins: readObjectParam("pins", params.pins) }),
        },
        waitS: params.wait_s ?? 0,
      });
    },
  });
}
