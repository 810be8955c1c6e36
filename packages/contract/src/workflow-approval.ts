import { z } from "zod";
import { timeSchema } from "./time.ts";

/** The state of an approval. All but `pending` are final. */
export const workflowApprovalStateSchema = z
  .enum(["pending", "approved", "denied", "expired", "cancelled"])
  .meta({
    description:
      "`pending` waits for a decision. `expired` had none in time. `cancelled` belongs to a run that ended before. All but `pending` are final.",
  });
export type WorkflowApprovalState = z.infer<typeof workflowApprovalStateSchema>;

/** A value that decides, as approvers read it. */
export const workflowShownValueSchema = z
  .object({
    label: z.string().meta({
      description: "One line: the label of the node's author, or the path of an input.",
    }),
    value: z.string().meta({
      description: "A text. Encrypted values and secrets in it are `[secret]`.",
    }),
    is_cut: z.boolean().meta({ description: "Whether it is a part only." }),
  })
  .meta({ id: "WorkflowShownValue" });
export type WorkflowShownValue = z.infer<typeof workflowShownValueSchema>;

const nameSchema = z.string().nullable();

const targetNameSchema = nameSchema.meta({
  description:
    "The host of a request, with its port, unless a template or a secret decides on it; the name of a workflow, as the owner of this workflow saw it. Null for other nodes.",
});

/** What an approval is about: the system and the operation of the first node that changes something. */
export const workflowApprovalSubjectSchema = z
  .object({
    type: nameSchema.meta({
      description: "The type of the node. Null for approvals that an older version has made.",
    }),
    target: nameSchema.meta({ description: "As in `will_run`. Null if `type` is." }),
    target_name: targetNameSchema,
    row_label: nameSchema,
    connector_key: nameSchema,
    connector_name: nameSchema,
    operation_name: nameSchema,
    destructive: z.boolean().meta({ description: "Whether the operation is destructive." }),
  })
  .meta({
    id: "WorkflowApprovalSubject",
    description: "The names of a row are null for a node that calls no operation of one.",
  });
export type WorkflowApprovalSubject = z.infer<typeof workflowApprovalSubjectSchema>;

/** A question to people, on whose answer a run waits. */
export const workflowApprovalSchema = z
  .object({
    id: z.string().meta({ description: "A random UUID." }),
    workflow_id: z.string(),
    workflow_name: z.string(),
    run_id: z.string(),
    node_id: z.string(),
    state: workflowApprovalStateSchema,
    title: z.string().meta({
      description: "The question. Encrypted values and secrets in it are `[secret]`.",
    }),
    values: z.array(workflowShownValueSchema).meta({
      description:
        "The values that decide: those that the node names, at most 10; else the first five of what the first node that changes something gets. In lists at most 200 characters each, elsewhere 4 KiB. Empty for approvals that an older version has made.",
    }),
    subject: workflowApprovalSubjectSchema.nullable().meta({
      description:
        "The first node that follows on `approved` and changes something. Null if there is none, and for a caller who is neither an approver nor an admin nor the user as whom the run acts.",
    }),
    approvers: z
      .object({ tags: z.array(z.string()), users: z.array(z.string()) })
      .meta({ description: "Who may decide: tags, and users by e-mail." }),
    started_by: z.string().meta({
      description: "Who or what started the run, such as `webhook orders` or an e-mail.",
    }),
    created_at: timeSchema,
    expires_at: timeSchema,
    decided_at: timeSchema.nullable().meta({ description: "Null unless it was decided." }),
    decided_by: z.string().nullable().meta({
      description: "The e-mail of the user; `local-admin` for the command line.",
    }),
    comment: z.string().nullable(),
    may_decide: z.boolean().meta({
      description: "Whether the caller may decide it now, in a signed-in browser.",
    }),
    refusal: z.string().nullable().meta({
      description: "Why the caller may not decide it. Null if the caller may.",
    }),
  })
  .meta({ id: "WorkflowApproval" });
export type WorkflowApproval = z.infer<typeof workflowApprovalSchema>;

/** A node that runs after the approval and changes something outside its run. */
export const workflowWillRunSchema = z
  .object({
    node_id: z.string(),
    label: z.string().nullable(),
    type: z.string().meta({ description: "The type of the node, such as `operation`." }),
    target: z.string().meta({
      description:
        "What it calls: the id of an operation, the method of a request, the id of a workflow, or a channel with its action. `schedule_at` for a node whose output schedules a run.",
    }),
    row_label: z.string().nullable().meta({
      description:
        "The label of the row whose operation it calls, as the owner of the workflow saw it. This and the following names are null for other nodes, and for a caller who gets no `subject`.",
    }),
    connector_key: nameSchema,
    connector_name: nameSchema,
    operation_name: nameSchema,
    operation_description: z.string().nullable().meta({ description: "Cut to 1 KiB." }),
    destructive: z.boolean().meta({
      description: "Whether the operation is destructive. False for nodes that call none.",
    }),
    target_name: targetNameSchema,
    fields: z.unknown().meta({
      description:
        "The fields of the node, such as `params`. Rendered if `is_rendered`, else the templates as they are. Encrypted values and secrets are `[secret]`. Cut to 16 KiB.",
    }),
    is_rendered: z.boolean().meta({
      description:
        "Whether `fields` are what the node gets. The node then fails with `conflict` if it would get anything else.",
    }),
    is_cut: z.boolean().meta({ description: "Whether `fields` show a part only." }),
    depends_on: z.array(z.string()).meta({
      description: "The nodes whose outputs the templates need and that have not ended.",
    }),
    uses_time: z.boolean().meta({
      description: "Whether the templates read the time at which the node runs.",
    }),
    items: z
      .object({ count: z.int(), shown: z.array(z.unknown()) })
      .nullable()
      .meta({
        description:
          "With `for_each`: how often the node runs, and the fields of the first items. Null for another node, and if the list is not known yet.",
      }),
    problem: z.string().nullable().meta({
      description: "Why the fields cannot be rendered, if that is not because of other nodes.",
    }),
  })
  .meta({ id: "WorkflowWillRun" });
export type WorkflowWillRun = z.infer<typeof workflowWillRunSchema>;

/** An approval with what its approvers need to know. */
export const workflowApprovalDetailSchema = workflowApprovalSchema
  .extend({
    details: z.string().meta({
      description: "Encrypted values and secrets in it are `[secret]`.",
    }),
    version: z.int().nullable().meta({ description: "Null for a run of the draft." }),
    sees_workflow: z.boolean().meta({
      description:
        "Whether the caller sees the workflow and its runs. An approver need not see them.",
    }),
    edited_by: z.array(z.string()).meta({
      description:
        "The e-mails of those who saved or published what the run runs, and of the owners of service users among them.",
    }),
    self: z.boolean().meta({
      description: "Whether those who started the run or edited the workflow may decide too.",
    }),
    hash: z.string().meta({
      description: "Of what is shown here. A decision carries it.",
    }),
    will_run: z.array(workflowWillRunSchema).meta({
      description:
        "The nodes that follow on `approved` and change something, in the order of the graph. At most 100.",
    }),
    asked_in_chat: z
      .array(
        z.object({
          email: z.string().nullable().meta({ description: "Null for a deleted user." }),
          kind: z.string().meta({ description: "The chat platform, such as `slack`." }),
          channel: z.object({ slug: z.string(), label: z.string() }).nullable().meta({
            description: "The channel that sends it. Null if the caller does not see it.",
          }),
          state: z.enum(["waiting", "sent", "failed"]),
          failure: z.string().nullable().meta({
            description: "Why the last try failed. It is tried again while the state is `waiting`.",
          }),
        }),
      )
      .meta({
        description:
          "The messages to linked chat accounts of approvers, at most 100. A message that is not sent does not stop the run. Those over channels that the caller does not see are left out, except the caller's own.",
      }),
    will_run_more: z.int().meta({ description: "How many further such nodes there are." }),
  })
  .meta({ id: "WorkflowApprovalDetail" });
export type WorkflowApprovalDetail = z.infer<typeof workflowApprovalDetailSchema>;

/** Characters of the comment on a decision. */
export const approvalCommentCharsMax = 2000;

/** A decision of an approver. */
export const workflowDecisionSchema = z.strictObject({
  decision: z.enum(["approved", "denied"]),
  hash: z.string().max(100).meta({
    description: "The hash of what was shown. Another one is refused with `conflict`.",
  }),
  comment: z.string().max(approvalCommentCharsMax).optional(),
});
export type WorkflowDecision = z.infer<typeof workflowDecisionSchema>;
