import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { after, limit, toPage } from "../input-fields.ts";

export function defineWorkflowApprovals(deps: OperationDeps) {
  return defineOperation({
    name: "List approvals",
    description:
      "List the questions on whose answer runs wait, newest first: those that your user may decide or that concern your user's workflows. values has what decides, subject what is acted on.\n\nYou cannot decide them: a person does, on the page that url names, in chat or on the command line. With approval_id, shows one with its details and what will run if it is approved. If next is not null, pass it as after to get the next page.",
    reads: true,
    input: {
      approval_id: wick("desc=Show this one in full."),
      state: wick(
        "dropdown=pending|approved|denied|expired|cancelled;desc=Only those in this state.",
      ),
      workflow_id: wick("desc=Only those of this workflow."),
      limit,
      after,
    },
    examples: [{ description: "What waits for a decision", params: { state: "pending" } }],
    async run({ caller, params }) {
      const { listApprovals, showApproval } = await import("../../approvals/list-approvals.ts");
      const toUrl = async (id: string) => `${await deps.findBaseUrl()}/approvals/${id}`;
      const { approval_id: id } = params;
      if (id !== undefined) {
        return { ...(await showApproval(deps, caller, id)), url: await toUrl(id) };
      }
      const { items, next } = await listApprovals(deps, caller, {
        state: params.state,
        workflowId: params.workflow_id,
        ...toPage(params),
      });
      const approvals = items.map(async (one) => ({ ...one, url: await toUrl(one.id) }));
      return { approvals: await Promise.all(approvals), next };
    },
  });
}
