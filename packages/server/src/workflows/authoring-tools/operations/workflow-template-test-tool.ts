import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";

export function defineWorkflowTemplateTest(deps: OperationDeps) {
  return defineOperation({
    name: "Test a template",
    description:
      "Render a template of a workflow, with data that you give, with an invented event, or with a past run.\n\nWithout template, returns a short guide: the data, the rules, examples and the names of all functions. data is {Event, Node, Env, Item, Index}: Node has the outputs of nodes by id. With event, Event is a sample of that trigger type. With workflow_id and run_id, all values are of that run. Returns value with its type, warnings (such as a missing member) and error. Nothing is called and nothing is stored.",
    reads: true,
    input: {
      template: wick("desc=Such as {{.Event.Payload.body.name | upper}}."),
      data: wick.json('desc=An object, such as {"Node": {"list": {"items": [1, 2]}}}.'),
      event: wick(
        "dropdown=webhook|cron|manual|error|schedule_at|channel;desc=Use a sample event of this trigger type.",
      ),
      workflow_id: wick("desc=With run_id: the workflow of the run."),
      run_id: wick("desc=A run whose event and outputs the template reads."),
    },
    examples: [
      {
        description: "With own data",
        params: {
          template: "{{range .Node.list.items}}{{.title}} {{end}}",
          data: { Node: { list: { items: [{ title: "a" }] } } },
        },
      },
    ],
    async run({ caller, params }) {
      const { testTemplate } = await import("../test-template.ts");
      return await testTemplate(deps, caller, {
        template: params.template,
        data: params.data,
        event: params.event,
        workflowId: params.workflow_id,
        runId: params.run_id,
      });
    },
  });
}
