/** The nodes that call something else: an operation of a row, an address, another workflow, a channel. */
import { z } from "zod";
import { workflowIdSchema } from "./workflow-names.ts";
import {
  commonFields,
  forEachFields,
  repeatField,
  templatedJson,
  templatedText,
} from "./workflow-node-fields.ts";

/** Calls an operation of a row, as the owner of the workflow. */
export const operationNodeSchema = z
  .strictObject({
    type: z.literal("operation"),
    ...commonFields,
    tool_id: z.string().min(1).max(200).meta({ description: "The id of the row's operation." }),
    params: z.record(z.string(), templatedJson).default({}).meta({
      description: "The inputs of the operation. Their texts may be templates.",
    }),
    ...forEachFields,
    ...repeatField,
  })
  .meta({ id: "OperationNode" });

/** Sends a request to a public address. The output is `{status, headers, body}`. */
export const httpNodeSchema = z
  .strictObject({
    type: z.literal("http"),
    ...commonFields,
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
    url: templatedText.min(1).max(16_384).meta({ description: "The address. A template." }),
    headers: z.record(z.string(), templatedText).default({}).meta({
      description: "Request headers. The values are templates.",
    }),
    query: z.record(z.string(), templatedText).default({}).meta({
      description: "Query parameters that are added to the address. The values are templates.",
    }),
    body: templatedJson.optional().meta({
      description:
        "The body: a text is sent as it is, any other value as JSON. At most 64 KiB. Its texts may be templates.",
    }),
    body_base64: templatedText.min(1).optional().meta({
      description:
        "The bytes of the body in base64, instead of `body`. At most 10 MiB. Without `Content-Type`, it is `application/octet-stream`. A template.",
    }),
    ...forEachFields,
    ...repeatField,
  })
  .meta({ id: "HttpNode" });

/** Runs another workflow, as the other workflow's owner. */
export const subworkflowNodeSchema = z
  .strictObject({
    type: z.literal("workflow"),
    ...commonFields,
    workflow_id: workflowIdSchema.meta({ description: "The id of the other workflow." }),
    payload: templatedJson.optional().meta({
      description: "The payload of the other run. Its texts may be templates.",
    }),
    wait: z.boolean().default(true).meta({
      description:
        "`true` waits for the other run, and its last output is the output. `false` goes on, and its id is the output.",
    }),
    ...forEachFields,
    ...repeatField,
  })
  .meta({ id: "SubworkflowNode" });

/** Sends a message or another action to a channel. */
export const channelNodeSchema = z
  .strictObject({
    type: z.literal("channel"),
    ...commonFields,
    channel: z.string().min(1).max(64).meta({
      description: "The slug of a channel, or its kind while there is one channel of the kind.",
    }),
    op: z.string().min(1).max(64).meta({ description: "The action, such as `send_message`." }),
    args: z.record(z.string(), templatedJson).default({}).meta({
      description: "The inputs of the action. Their texts may be templates.",
    }),
    ...forEachFields,
    ...repeatField,
  })
  .meta({ id: "ChannelNode" });
