import { z } from "zod";
import { workflowIdSchema, workflowNameSchema, workflowSeveritySchema } from "./workflow-names.ts";

const common = {
  id: workflowNameSchema.meta({
    description: "The name of the trigger. No node and no other trigger has it.",
  }),
  entry: z.string().meta({ description: "The id of the node where the trigger's runs begin." }),
  label: z.string().max(200).optional().meta({ description: "The name for people." }),
};

/** Starts runs at the times of a cron expression. A disabled workflow skips its ticks. */
export const cronTriggerSchema = z
  .strictObject({
    type: z.literal("cron"),
    ...common,
    schedule: z.string().max(200).meta({
      description:
        "A cron expression of six fields: second, minute, hour, day of the month, month, day of the week.",
    }),
    timezone: z.string().max(64).optional().meta({
      description: "An IANA time zone, such as Europe/Berlin. The default is the hub's.",
    }),
    catch_up: z.enum(["none", "last"]).default("none").meta({
      description:
        "What happens to ticks that passed while no hub ran: `none` skips them, `last` fires the latest one.",
    }),
  })
  .meta({ id: "CronTrigger" });

/** Starts a run for an event of a channel. */
export const channelTriggerSchema = z
  .strictObject({
    type: z.literal("channel"),
    ...common,
    channel: z.string().min(1).max(64).meta({
      description: "The slug of a channel, or its kind while there is one channel of the kind.",
    }),
    event: z.string().min(1).max(64).meta({ description: "The event's id, such as `message`." }),
    match: z.record(z.string(), z.unknown()).default({}).meta({
      description:
        "Filters of the event, by name. All of them must match; an empty list is no filter.",
    }),
  })
  .meta({ id: "ChannelTrigger" });

/** The methods that a webhook trigger can accept. */
export const webhookMethodSchema = z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]);
export type WebhookMethod = z.infer<typeof webhookMethodSchema>;

/** An origin as browsers send it, such as `https://shop.example`. */
const originSchema = z
  .string()
  .max(256)
  .regex(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#@\\,*]+$/, {
    error: "must be an origin without a path, such as https://shop.example.",
  });

/** How a sender shows that a request is its own. */
export const webhookSignatureKindSchema = z.enum([
  "hub",
  "github",
  "gitlab",
  "shopify",
  "stripe",
  "slack",
  "standard",
  "twilio",
  "basic",
  "bearer",
  "header",
]);

/** Starts a run for a request to `/webhook/{workflow id}/{path}`. */
export const webhookTriggerSchema = z
  .strictObject({
    type: z.literal("webhook"),
    ...common,
    path: z.string().max(256).optional().meta({
      description:
        "The slug: the part of the address after the workflow's id, without a slash at its start. Without it, the trigger accepts every path of the workflow.",
    }),
    method: z
      .union([webhookMethodSchema, z.array(webhookMethodSchema).min(1).max(5)])
      .default("POST")
      .meta({ description: "The accepted method, or a list of methods." }),
    secret_ref: z.string().max(64).optional().meta({
      description:
        "The name of a secret of the workflow. Requests must then be signed with it. Without it, requests need no signature.",
    }),
    signature: webhookSignatureKindSchema.optional().meta({
      description:
        "How the sender uses the secret. `hub`, the default, signs the body in X-Hub-Sig; `standard` is Standard Webhooks; `header` sends it in signature_header.",
    }),
    signature_header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, { error: "must be the name of a header." })
      .optional()
      .meta({
        description:
          "The header with the signature, for senders that name it otherwise, or with the secret. The default is X-Hub-Sig.",
      }),
    replay_window_s: z.int().min(1).max(86_400).optional().meta({
      description:
        "With it, the signature must cover a timestamp, which may differ from the hub's clock by this many seconds.",
    }),
    delivery_id: z.string().min(1).max(1024).optional().meta({
      description:
        "A template with the id of a delivery, such as `{{.Event.Payload.body.id}}`. A second one starts no run. By default, the ids of known senders.",
    }),
    allow_origins: z
      .union([z.literal("*"), z.array(originSchema).min(1).max(50)], {
        error: 'must be "*" or a list of origins without paths, such as https://shop.example.',
      })
      .optional()
      .meta({
        description: "The origins whose pages may send requests (CORS), or `*`.",
      }),
    respond_mode: z.enum(["immediately", "last_node", "respond_node"]).default("immediately").meta({
      description:
        "`immediately` answers 202 when the run is queued, `last_node` with the last output of the run, `respond_node` with the answer of the first `webhook_respond` node that completes.",
    }),
  })
  .meta({ id: "WebhookTrigger" });

/** A field of a manual run: a field of the run form, and a property of the JSON Schema for models. */
export const manualInputSchema = z
  .strictObject({
    name: z.string().min(1).max(64).meta({
      description: "The field's name, such as `BaseURL`. Its key in the payload is `base_url`.",
    }),
    type: z
      .enum(["text", "integer", "float", "boolean", "json"])
      .default("text")
      .meta({ description: "The type of its value, unless the tag's widget has one." }),
    tag: z.string().max(4096).default("").meta({
      description: "The field tag, such as `required;desc=The account`.",
    }),
  })
  .meta({ id: "WorkflowInputField" });
export type ManualInput = z.infer<typeof manualInputSchema>;

/** Starts a run by hand: by the Run button, the API, the command line or a model. */
export const manualTriggerSchema = z
  .strictObject({
    type: z.literal("manual"),
    ...common,
    input: z.array(manualInputSchema).max(100).default([]).meta({
      description: "The fields of the payload. Without fields, the payload is any JSON object.",
    }),
    as_tool: z.boolean().default(false).meta({
      description:
        "Whether clients get the published workflow as a tool of its own: a row of the connector `workflow_tool` with the tags of the workflow. At most one trigger of a workflow.",
    }),
  })
  .meta({ id: "ManualTrigger" });

/** Starts a run at the time that the output of a node names as `schedule_at`. */
export const scheduleAtTriggerSchema = z
  .strictObject({ type: z.literal("schedule_at"), ...common })
  .meta({ id: "ScheduleAtTrigger" });

/** Starts a run when a run of another workflow fails. */
export const errorTriggerSchema = z
  .strictObject({
    type: z.literal("error"),
    ...common,
    source_workflow: z.union([workflowIdSchema, z.literal("*")]).meta({
      description:
        "The id of the other workflow, or `*` for all workflows of the owner (of all users, if the owner is an admin).",
    }),
    severity: z
      .union([workflowSeveritySchema, z.array(workflowSeveritySchema).min(1).max(4)])
      .optional()
      .meta({ description: "Only failures of this severity, or of one of these." }),
  })
  .meta({ id: "ErrorTrigger" });

/** What starts runs of a workflow. */
export const workflowTriggerSchema = z
  .discriminatedUnion("type", [
    cronTriggerSchema,
    channelTriggerSchema,
    webhookTriggerSchema,
    manualTriggerSchema,
    scheduleAtTriggerSchema,
    errorTriggerSchema,
  ])
  .meta({ id: "WorkflowTrigger" });
export type WorkflowTrigger = z.infer<typeof workflowTriggerSchema>;

/** A trigger of one type, such as `TriggerOf<"webhook">`. */
export type TriggerOf<Type extends WorkflowTrigger["type"]> = Extract<
  WorkflowTrigger,
  { type: Type }
>;
