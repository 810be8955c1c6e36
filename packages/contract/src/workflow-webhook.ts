import { z } from "zod";
import { timeSchema } from "./time.ts";
import { webhookMethodSchema, webhookTriggerSchema } from "./workflow-trigger.ts";

/** Why a request to a webhook was refused. */
export const webhookRefusalSchema = z
  .enum([
    "no_trigger",
    "disabled",
    "not_published",
    "trial_over",
    "inactive_owner",
    "secret_not_set",
    "signature_missing",
    "signature_wrong",
    "timestamp_missing",
    "timestamp_outside_window",
    "timestamp_signature_wrong",
    "body_too_large",
    "body_too_slow",
    "bad_request",
    "too_many_requests",
    "too_many_runs",
    "failed",
  ])
  .meta({
    description:
      "The sender of a refused signature does not learn which of `secret_not_set`, `signature_…` and `timestamp_…` it was, nor which of `no_trigger`, `disabled`, `not_published`, `trial_over` and `inactive_owner` kept the address from existing. `failed` is a failure of the hub.",
  });
export type WebhookRefusal = z.infer<typeof webhookRefusalSchema>;

export const webhookSignatureSchema = z.enum(["none", "valid", "refused", "unchecked"]).meta({
  description:
    "`none` if the trigger needs no signature, `unchecked` if the request was refused before the signature was looked at.",
});
export type WebhookSignature = z.infer<typeof webhookSignatureSchema>;

/** The outcome of a request to a webhook: a run, or a refusal. */
export const webhookOutcomeSchema = z.enum(["accepted", "refused"]);

/** One request to a webhook, or several ones that were refused for the same reason. */
export const webhookDeliverySchema = z
  .object({
    id: z.string(),
    outcome: webhookOutcomeSchema,
    reason: webhookRefusalSchema.nullable().meta({ description: "Null for an accepted request." }),
    explanation: z.string().nullable().meta({
      description: "Why it was refused and what to do. Null for an accepted request.",
    }),
    requests: z.int().meta({
      description:
        "1 for an accepted request. Refused ones with the same trigger and reason are counted; the other members are those of the last one.",
    }),
    first_at: timeSchema,
    at: timeSchema,
    trigger_id: z.string().nullable().meta({
      description: "Null if there is no trigger for the path and method.",
    }),
    is_test: z.boolean().meta({ description: "Whether it was sent to the address of the draft." }),
    method: z.string(),
    path: z.string().meta({ description: "The slug, cut to 256 characters." }),
    delivery_id: z.string().nullable(),
    is_repeated: z.boolean().meta({
      description: "Whether an earlier request with this delivery id has started the run.",
    }),
    signature: webhookSignatureSchema,
    status: z.int().meta({ description: "The HTTP status of the answer." }),
    code: z.string().nullable().meta({ description: "The `code` of an answer with an error." }),
    message: z.string().nullable().meta({ description: "The `error` of such an answer." }),
    run_id: z.string().nullable(),
    duration_ms: z.int(),
    body_bytes: z.int().nullable().meta({ description: "Null if the body was not read." }),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

const { path, secret_ref, replay_window_s, respond_mode } = webhookTriggerSchema.shape;

/** Where a webhook trigger takes requests. */
export const webhookAddressSchema = z
  .object({
    url: z.string(),
    methods: z.array(webhookMethodSchema),
    path,
    secret_ref,
    is_secret_set: z.boolean().meta({
      description: "Without it, every request to a trigger with `secret_ref` is refused.",
    }),
    replay_window_s,
    respond_mode,
    curl: z.string().meta({
      description:
        "Shell commands that send a request. They sign it with the value of the variable SECRET, if the trigger has `secret_ref`.",
    }),
  })
  .meta({ id: "WebhookAddress" });
export type WebhookAddress = z.infer<typeof webhookAddressSchema>;

/** A webhook trigger of a workflow with its addresses. */
export const workflowWebhookSchema = z
  .object({
    trigger_id: z.string(),
    label: z.string().nullable(),
    live: webhookAddressSchema.nullable().meta({
      description: "Of the published version. Null if it does not have the trigger.",
    }),
    test: webhookAddressSchema.nullable().meta({
      description: "Of the draft. Null if it does not have the trigger.",
    }),
  })
  .meta({ id: "WorkflowWebhook" });
export type WorkflowWebhook = z.infer<typeof workflowWebhookSchema>;
