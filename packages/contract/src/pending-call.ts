import { z } from "zod";
import { timeSchema } from "./time.ts";
import { approvalCommentCharsMax, workflowShownValueSchema } from "./workflow-approval.ts";

/** The state of a call that was not answered at once. */
export const pendingCallStateSchema = z
  .enum(["open", "approved", "running", "done", "unknown", "denied", "expired", "changed", "ended"])
  .meta({
    description:
      "`open` waits for a person. `approved` waits for the call to be made again. `running` and `done` have used the approval. `unknown` was running when its server stopped. `expired` was not decided, or not used, in time. `changed` is asked anew, because the row, the operation or the rule is another one. `ended` belongs to a user, token, row or operation that may not call any more.",
  });
export type PendingCallState = z.infer<typeof pendingCallStateSchema>;

/** How a question ended. */
export const pendingCallOutcomeSchema = z.enum(["approved", "denied", "expired", "ended"]).meta({
  description:
    "`approved`: also while it runs, and after it has run. `denied`. `expired`: not decided, or not used, in time. `ended`: asked anew, or of one that may not call any more.",
});
export type PendingCallOutcome = z.infer<typeof pendingCallOutcomeSchema>;

/** Why a call was not answered at once. */
export const pendingCallReasonSchema = z.enum(["approval", "account", "input", "running"]).meta({
  description:
    "`approval`: a person must approve it. `account`: the user must connect an account. `input`: the user is asked for more. `running`: it takes long.",
});
export type PendingCallReason = z.infer<typeof pendingCallReasonSchema>;

/** Who decides a call. */
export const pendingCallDeciderSchema = z
  .discriminatedUnion("by", [
    z.object({ by: z.literal("caller") }),
    z.object({ by: z.literal("tags"), tags: z.array(z.string()) }),
  ])
  .meta({
    id: "PendingCallDecider",
    description:
      "`caller`: the user whose client makes the call; for the local admin, any admin. `tags`: other users with one of these tags.",
  });
export type PendingCallDecider = z.infer<typeof pendingCallDeciderSchema>;

/** A call that waits for a person, or has waited. */
export const pendingCallSchema = z
  .object({
    id: z.string().meta({ description: "128 random bits in hexadecimal digits." }),
    reason: pendingCallReasonSchema,
    state: pendingCallStateSchema,
    user: z.string().meta({
      description: "The e-mail of the user whose rights it has; `local-admin` for stdio.",
    }),
    made_by: z.string().meta({
      description: "The name of the token, application or workflow that makes it.",
    }),
    row_label: z.string(),
    connector_key: z.string(),
    connector_name: z.string().meta({ description: "Its name when the call was made." }),
    operation: z.string().meta({ description: "The key of the operation." }),
    operation_name: z.string(),
    destructive: z.boolean(),
    values: z.array(workflowShownValueSchema).meta({
      description:
        "The first five texts, numbers and booleans of the params, by their paths. In lists at most 200 characters each, elsewhere 4 KiB.",
    }),
    decider: pendingCallDeciderSchema,
    deputy: z.string().nullable().meta({
      description: "The e-mail of the user whom an approver has named to decide it, too.",
    }),
    rule_name: z.string().nullable(),
    created_at: timeSchema,
    expires_at: timeSchema.meta({ description: "When the question ends that is not decided." }),
    decided_at: timeSchema.nullable(),
    decided_by: z.string().nullable().meta({ description: "The e-mail of the user." }),
    comment: z.string().nullable(),
    may_decide: z.boolean().meta({
      description: "Whether the caller may decide it now, in a signed-in browser.",
    }),
    refusal: z.string().nullable().meta({
      description: "Why the caller may not decide it. Null if the caller may.",
    }),
  })
  .meta({ id: "PendingCall" });
export type PendingCall = z.infer<typeof pendingCallSchema>;

/** Something that waits for the decision of a user: an approval of a workflow, or a call. */
export const waitingDecisionSchema = z
  .object({
    kind: z.enum(["approval", "call"]),
    id: z.string(),
    title: z.string().meta({ description: "The question." }),
    workflow_id: z.string().nullable().meta({ description: "Null for a call." }),
    run_id: z.string().nullable().meta({ description: "The run that waits. Null for a call." }),
    created_at: timeSchema,
  })
  .meta({ id: "WaitingDecision" });
export type WaitingDecision = z.infer<typeof waitingDecisionSchema>;

/** An earlier call of the same user and operation. */
export const earlierCallSchema = z.object({
  at: timeSchema,
  status: z.enum(["running", "success", "error", "denied", "cancelled"]),
  error_code: z.string().nullable(),
});
export type EarlierCall = z.infer<typeof earlierCallSchema>;

/** A call with what its approvers need to know. */
export const pendingCallDetailSchema = pendingCallSchema
  .extend({
    description: z.string().meta({ description: "Of the operation." }),
    params: z.unknown().meta({
      description:
        "Whole, as the caller sent them: secrets are bullets, encrypted values `[hidden value]`, and characters that are not seen or change the direction their number, such as `[U+202E]`.",
    }),
    account: z.string().nullable().meta({
      description: "The label of the user's own account that it uses. Null: that of the row.",
    }),
    rule_sentence: z.string().nullable().meta({ description: "Why the rule asks." }),
    note: z.string().nullable().meta({
      description: "What the hub knows of an equal call before it.",
    }),
    source: z.enum(["mcp", "test", "retry", "workflow"]),
    client: z
      .object({ name: z.string(), version: z.string() })
      .nullable()
      .meta({ description: "As the client names itself. Null if it does not." }),
    user_agent: z.string().nullable(),
    ip_address: z.string().nullable(),
    decided_via: z.string().nullable().meta({
      description: "`session` for a browser, `chat`, or `client` for a form in the client.",
    }),
    approved_until: timeSchema.nullable().meta({
      description: "When an approval ends that is not used.",
    }),
    runs_by_itself: z.boolean().meta({
      description: "Whether it runs when it is approved. If not, the client calls again.",
    }),
    ended_reason: z.string().nullable(),
    hour: z
      .object({ fixed: z.array(z.string()) })
      .nullable()
      .meta({
        description:
          "Whether an approver may permit the operation for an hour too: for the same user, client and account, with these params as they are here.",
      }),
    may_name_deputy: z.boolean(),
    hash: z.string().meta({ description: "Of what is shown here. A decision carries it." }),
    earlier: z.array(earlierCallSchema).meta({
      description:
        "The last ten calls of the same user and operation, newest first, among the last 1,000 calls of the user.",
    }),
  })
  .meta({ id: "PendingCallDetail" });
export type PendingCallDetail = z.infer<typeof pendingCallDetailSchema>;

/** A decision about a call. */
export const pendingCallDecisionSchema = z.strictObject({
  decision: z.enum(["approved", "denied"]),
  hash: z.string().max(100).meta({
    description: "The hash of what was shown. Another one is refused with `conflict`.",
  }),
  comment: z.string().max(approvalCommentCharsMax).optional().meta({
    description: "For the person who asked. The client is told it with a denial.",
  }),
  hour: z.boolean().default(false).meta({
    description: "Whether to permit the operation for an hour, where the rule allows it.",
  }),
});
export type PendingCallDecision = z.input<typeof pendingCallDecisionSchema>;

/** Who decides for an absent approver. */
export const pendingCallDeputySchema = z.strictObject({
  deputy: z.string().max(320).nullable().meta({
    description: "The e-mail of an active user. Null: only the users with the tags decide again.",
  }),
});
export type PendingCallDeputy = z.infer<typeof pendingCallDeputySchema>;

/** A permission for an operation for an hour. */
export const callPermitSchema = z
  .object({
    id: z.string(),
    user: z.string().meta({ description: "The e-mail of the user whose calls it permits." }),
    made_by: z.string().meta({
      description: "The name of the token, application or workflow that it is for.",
    }),
    row_label: z
      .string()
      .nullable()
      .meta({ description: "Null for a deleted row, and for one that the caller does not see." }),
    operation: z.string().meta({ description: "The key of the operation." }),
    fixed: z.array(z.string()).meta({ description: "Params that stay as they were approved." }),
    created_at: timeSchema,
    expires_at: timeSchema,
    granted_by: z.string().meta({ description: "The e-mail of who granted it." }),
    call_id: z.string().meta({ description: "Of the call that it was granted with." }),
  })
  .meta({ id: "CallPermit" });
export type CallPermit = z.infer<typeof callPermitSchema>;
