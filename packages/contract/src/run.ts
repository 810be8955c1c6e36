import { z } from "zod";
import { logoSchema } from "./logo.ts";
import { timeSchema } from "./time.ts";

export const runStatusSchema = z.enum(["running", "success", "error", "denied", "cancelled"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/**
 * The trigger of a call: a client's `tools/call`, the manager's test path, a retry of a call, or a step
 * of a workflow.
 */
export const runSourceSchema = z.enum(["mcp", "test", "retry", "workflow"]);
export type RunSource = z.infer<typeof runSourceSchema>;

/** What made a call. */
export const causeKindSchema = z.enum([
  "client",
  "retry",
  "workflow",
  "batch",
  "script",
  "pending",
]);
export type CauseKind = z.infer<typeof causeKindSchema>;

const causeSchema = z
  .object({
    kind: causeKindSchema.meta({
      description:
        "`client`, unless the call is the `retry` of another one, a step of a `workflow`, one of several calls of a message (`batch`) or of a `script`, or was `pending` until a person allowed it.",
    }),
    id: z.string().nullable().meta({
      description:
        "Of the call that is retried, the workflow's run, the call of the message or script, or the pending call. Null for clients, and for those who see no request of the call.",
    }),
  })
  .meta({ id: "CallCause" });

const innerCallsSchema = z
  .object({
    total: z.int(),
    failed: z.int().meta({ description: "Those that failed or were refused." }),
  })
  .meta({ id: "InnerCalls" });
export type InnerCalls = z.infer<typeof innerCallsSchema>;

/** An entry of the audit: who called what, when, and with which result. */
export const runSchema = z
  .object({
    id: z.uuid(),
    parent_run_id: z.string().nullable(),
    connector_id: z.string().nullable().meta({
      description: "Id of the row; null for meta-tools other than `hub_execute` and `hub_read`.",
    }),
    row_label: z
      .string()
      .nullable()
      .meta({ description: "The row's label at the time of the call." }),
    logo: logoSchema,
    operation_key: z
      .string()
      .meta({ description: "Key of the operation, or name of the meta-tool." }),
    argument: z.string().nullable().meta({
      description:
        "What distinguishes the call from others, in at most 80 characters: method and path of a request, else the argument that says most. Secrets and tokens are left out. Null if there is none, or for those who do not see the request.",
    }),
    user_id: z.string(),
    user: z
      .string()
      .nullable()
      .meta({ description: "E-mail of the user; null once the user is deleted." }),
    token_id: z.string().nullable(),
    source: runSourceSchema,
    status: runStatusSchema,
    error_code: z.string().nullable(),
    error_msg: z.string().nullable(),
    latency_ms: z.number().nullable(),
    http_status: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the outside system's answer; null if there was none." }),
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    client: z.string().nullable().meta({
      description:
        "Name of the application, or of the client as its `user_agent` has it; null if it is not known or not shown.",
    }),
    workflow_run_id: z
      .string()
      .nullable()
      .meta({ description: "The run of a workflow whose step made the call." }),
    started_by: z
      .string()
      .nullable()
      .meta({ description: "Who or what started that run, such as `webhook orders`." }),
    cause: causeSchema.meta({ description: "What made the call." }),
    calls: innerCallsSchema.optional().meta({
      description:
        "The recorded calls that this one made, if it is a message of several calls or a script: those that the caller sees. List them with `cause_id`.",
    }),
    started_at: timeSchema,
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof runSchema>;

/** A call with its request and response, which are sealed and cut to 16 KiB each. */
export const runDetailSchema = runSchema.extend({
  request: z.unknown(),
  response: z.unknown(),
  request_cut: z
    .boolean()
    .meta({ description: "The request was not stored in full, so the call cannot be retried." }),
  account: z.string().nullable().meta({
    description:
      "Whose access to the row the call used: `shared`, or `own: LABEL`, of which others than its user see `own`. Null if the row has no accounts of users, and for other users than admins.",
  }),
});
export type RunDetail = z.infer<typeof runDetailSchema>;
