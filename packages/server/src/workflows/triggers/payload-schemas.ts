import type { ManualInput, WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import { z } from "zod";
import { toPayloadSchema } from "../runs/start/read-manual-payload.ts";

const time = z.iso.datetime({ offset: true });
const anyObject = z.record(z.string(), z.unknown());
const texts = z.record(z.string(), z.string());

/** What `.Event.Payload` is in runs of a trigger, by the trigger's type. */
export const payloadSchemas = {
  cron: z.strictObject({
    time: time.meta({ description: "The time of the tick, in UTC." }),
    local_time: time.meta({ description: "The same in the trigger's time zone." }),
    schedule: z.string().meta({ description: "The cron expression." }),
    timezone: z.string().meta({ description: "The IANA time zone." }),
    caught_up: z.boolean().meta({
      description: "Whether the tick passed while no hub ran (`catch_up: last`).",
    }),
  }),
  webhook: z.strictObject({
    path: z.string().meta({ description: "The path after the workflow's id." }),
    method: z.string(),
    headers: texts.meta({ description: "By their names in lower case, without credentials." }),
    query: texts.meta({ description: "The first value of each name." }),
    raw: z.string().optional().meta({ description: "The body as text." }),
    raw_base64: z.string().optional().meta({
      description: "Its bytes, in base64.",
    }),
    body: z.unknown().meta({
      description:
        "The body as value, of JSON or a form. A file is {filename, content_type, bytes_base64}.",
    }),
  }),
  channel: anyObject.meta({ description: "The event of the channel." }),
  manual: anyObject.meta({ description: "The fields of the trigger, or any object." }),
  schedule_at: z
    .looseObject({
      schedule_at: z.union([z.string(), z.number()]).meta({
        description: "The time of the run: ISO 8601, or Unix seconds.",
      }),
    })
    .meta({ description: "The output that named the time." }),
  error: z.strictObject({
    run_id: z.string().meta({ description: "Id of the failed run." }),
    workflow_id: z.string().meta({ description: "The workflow of the failed run." }),
    error: z.strictObject({ message: z.string(), code: z.string() }),
    node_id: z.string().nullable().meta({
      description: "The node that failed; null for the run as a whole.",
    }),
    severity: z.string(),
    depth: z.int().meta({
      description: "How many error triggers led to one another up to this one: 1 to 3.",
    }),
    event: anyObject.nullable().meta({
      description:
        "The event of the failed run. With `truncated: true`, it was too large and has no payload, or no body.",
    }),
  }),
} satisfies Record<WorkflowTrigger["type"], z.ZodType>;

/** What `.Event` is in every run. */
export const eventSchema = z.strictObject({
  Type: z.enum(["cron", "channel", "webhook", "manual", "schedule_at", "error"]).meta({
    description: "The type of the trigger.",
  }),
  TriggerID: z.string(),
  Payload: z.unknown().meta({ description: "Depends on the type of the trigger." }),
  Source: z.string().nullable().meta({
    description: "Where the event came from: the sender's address, or the id of a failed workflow.",
  }),
  User: z.string().nullable().meta({ description: "E-mail of the user who started the run." }),
  At: time.meta({ description: "When the run was accepted." }),
  ts: z.number().meta({ description: "The same in Unix seconds." }),
});

export type TriggerTypeDescription = {
  type: WorkflowTrigger["type"];
  /** JSON Schema of the trigger in a body. */
  fields: object;
  /** JSON Schema of `.Event.Payload`. */
  payload: object;
};

/** The types of triggers with their fields and payloads, for editors and models. */
export function describeTriggerTypes(): TriggerTypeDescription[] {
  return workflowTriggerSchema.options.map((option) => {
    const type = option.shape.type.value;
    return {
      type,
      fields: z.toJSONSchema(option, { io: "input" }),
      payload: z.toJSONSchema(payloadSchemas[type]),
    };
  });
}

/** JSON Schema of `.Event.Payload` in runs of one trigger. */
export function describePayload(
  trigger: Pick<WorkflowTrigger, "type" | "id"> & { input?: ManualInput[] },
): object {
  if (trigger.type !== "manual") return z.toJSONSchema(payloadSchemas[trigger.type]);
  return toPayloadSchema({ id: trigger.id, input: trigger.input ?? [] });
}
