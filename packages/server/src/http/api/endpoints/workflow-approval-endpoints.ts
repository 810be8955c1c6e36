import {
  workflowApprovalDetailSchema,
  workflowApprovalSchema,
  workflowApprovalStateSchema,
  workflowDecisionSchema,
} from "@hub/contract/workflow-approval.ts";
import { z } from "zod";
import * as decisions from "../../../workflows/approvals/decide-approval.ts";
import * as approvals from "../../../workflows/approvals/list-approvals.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";

const byApproval = z.object({
  approval: z.string().max(64).meta({ description: "Id of an approval." }),
});

export const listApprovals = defineEndpoint({
  name: "listApprovals",
  summary: "List approvals, newest first",
  description:
    "Those of which the caller is an approver, and those of the caller's workflows. Admins see all. A page can have fewer than the limit: it looks at 20,000 approvals at most. `next` then goes on.",
  query: pageQuery.extend({
    state: workflowApprovalStateSchema.optional(),
    workflow: z.string().max(64).optional().meta({ description: "Id of a workflow." }),
    run: z.string().max(64).optional().meta({ description: "Id of a run." }),
    mine: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those of which the caller is an approver.",
    }),
    decided: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those that wait no longer.",
    }),
    may_decide: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those that the caller may decide now.",
    }),
  }),
  answer: z.object({
    approvals: z.array(workflowApprovalSchema),
    waiting_total: z.int().meta({
      description:
        "How many approvals the caller may decide now, whatever the query: at most 1,000, of the newest 20,000 that wait for the caller.",
    }),
    next: nextSchema,
  }),
  async handle({
    services,
    caller,
    query: { workflow, run, mine, decided, may_decide, ...query },
  }) {
    const { items, next } = await approvals.listApprovals(services, caller, {
      ...query,
      workflowId: workflow,
      runId: run,
      isMine: mine === "true",
      isDecided: decided === "true",
      isDecidable: may_decide === "true",
    });
    const total = await approvals.countWaitingApprovals(services, caller);
    return { approvals: items, waiting_total: total, next };
  },
});

export const showApproval = defineEndpoint({
  name: "showApproval",
  summary: "Show an approval with what will run",
  description: "For its approvers, the owner of the workflow and admins.",
  params: byApproval,
  answer: workflowApprovalDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) =>
    approvals.showApproval(services, caller, params.approval),
});

export const decideApproval = defineEndpoint({
  name: "decideApproval",
  needsSpace: false,
  summary: "Approve or deny",
  description:
    "For approvers in a signed-in browser. Who started the run, and who saved or published what it runs, may decide only with `self: true`.",
  params: byApproval,
  body: workflowDecisionSchema,
  answer: workflowApprovalDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    decisions.decideApproval(services, actor, { id: params.approval, ...body }),
});
