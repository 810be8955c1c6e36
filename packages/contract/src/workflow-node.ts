import { z } from "zod";
import {
  channelNodeSchema,
  httpNodeSchema,
  operationNodeSchema,
  subworkflowNodeSchema,
} from "./workflow-calling-node.ts";
import { conditionOperatorSchema, conditionSchema } from "./workflow-condition.ts";
import { workflowNameSchema, workflowSeveritySchema } from "./workflow-names.ts";
import {
  commonFields,
  forEachFields,
  numberTemplate,
  templatedJson,
  templatedText,
} from "./workflow-node-fields.ts";

/** Goes on along the case `true` or `false`. */
export const branchNodeSchema = z
  .strictObject({
    type: z.literal("branch"),
    ...commonFields,
    conditions: z.array(conditionSchema).min(1).max(100),
    match: z.enum(["all", "any"]).default("all").meta({
      description: "Whether all conditions or one of them must hold.",
    }),
  })
  .meta({ id: "BranchNode" });

/** Goes on along the first case that holds, or along `default`. The output is the case's name. */
export const switchNodeSchema = z
  .strictObject({
    type: z.literal("switch"),
    ...commonFields,
    value: templatedJson.meta({ description: "The value that the cases compare. A template." }),
    cases: z
      .array(
        z.strictObject({
          case: workflowNameSchema.meta({ description: "The name of the case." }),
          op: conditionOperatorSchema.default("eq"),
          right: templatedJson.optional().meta({
            description: "The other value. Its texts may be templates.",
          }),
        }),
      )
      .min(1)
      .max(100)
      .meta({ description: "The cases, in the order in which they are tried." }),
  })
  .meta({ id: "SwitchNode" });

/** Makes a value for other nodes. */
export const setNodeSchema = z
  .strictObject({
    type: z.literal("set"),
    ...commonFields,
    value: templatedJson.meta({
      description: "The output: any JSON value. Its texts may be templates.",
    }),
  })
  .meta({ id: "SetNode" });

/** Runs JavaScript with `event`, `node` and `env`. The output is what it returns. */
export const codeNodeSchema = z
  .strictObject({
    type: z.literal("code"),
    ...commonFields,
    source: z.string().max(65_536).meta({
      description: "JavaScript, the body of a function. It is not a template.",
    }),
    timeout_ms: z.int().min(1).max(10_000).default(1000).meta({
      description: "The time limit, in milliseconds.",
    }),
    ...forEachFields,
  })
  .meta({ id: "CodeNode" });

/** Waits for a time, also while the hub restarts. Exactly one of its fields is set. */
export const waitNodeSchema = z
  .strictObject({
    type: z.literal("wait"),
    ...commonFields,
    seconds: z
      .union([z.number().min(0).max(2_592_000), numberTemplate])
      .optional()
      .meta({
        description: "How long to wait, in seconds: at most 30 days. Or a template.",
      }),
    until: templatedText.min(1).optional().meta({
      description:
        "The time to wait for: ISO 8601 with an offset, or Unix seconds, at most 30 days ahead. Or a template.",
    }),
  })
  .meta({ id: "WaitNode" });

/** Waits for a person. Goes on along `approved`, `denied` or `expired`. */
export const approvalNodeSchema = z
  .strictObject({
    type: z.literal("approval"),
    ...commonFields,
    title: templatedText.min(1).max(1000).meta({ description: "The question. A template." }),
    details: templatedText.max(65_536).default("").meta({
      description: "What the approvers need to know. A template.",
    }),
    values: z
      .array(
        z.strictObject({
          label: z
            .string()
            .trim()
            .min(1)
            .max(100)
            .refine((label) => !label.includes("{{"), { error: "must not be a template." })
            .meta({ description: "The name for people. It is not a template." }),
          value: templatedText.min(1).max(4096).meta({ description: "The value. A template." }),
        }),
      )
      .max(10)
      .optional()
      .meta({
        description:
          "The values that decide, which approvers see first. Without it, they see the first five of what the first node gets that changes something.",
      }),
    approvers: z
      .strictObject({
        tags: z.array(z.string()).max(100).default([]).meta({
          description: "Every active user with one of these tags may decide.",
        }),
        users: z.array(z.string()).max(100).default([]).meta({
          description: "These users may decide, by email address.",
        }),
      })
      .meta({ description: "Who may decide: at least one tag or user." }),
    expires_s: z.int().min(60).max(2_592_000).default(86_400).meta({
      description: "After this many seconds the node goes on along `expired`: at most 30 days.",
    }),
    self: z.boolean().default(false).meta({
      description:
        "Whether the user who started the run, or edited the workflow last, may decide too.",
    }),
  })
  .meta({ id: "ApprovalNode" });

/** Answers the request that started the run, if its trigger's `respond_mode` is `respond_node`. */
export const webhookRespondNodeSchema = z
  .strictObject({
    type: z.literal("webhook_respond"),
    ...commonFields,
    respond_status: z
      .union([z.int().min(200).max(599), numberTemplate])
      .default(200)
      .meta({
        description: "The HTTP status: 200 to 599. Or a template.",
      }),
    respond_body: templatedText.default("").meta({ description: "The body. A template." }),
    respond_headers: z.record(z.string(), templatedText).default({}).meta({
      description:
        "The headers. The values are templates. Without `Content-Type`, it is `application/json` or `text/plain`, by the body.",
    }),
  })
  .meta({ id: "WebhookRespondNode" });

/** Ends the run as failed. */
export const failNodeSchema = z
  .strictObject({
    type: z.literal("fail"),
    ...commonFields,
    message: templatedText.min(1).max(4096).meta({
      description: "The error of the run. A template.",
    }),
    severity: workflowSeveritySchema.optional().meta({
      description: "The severity of the failure. The default is that of the workflow's settings.",
    }),
  })
  .meta({ id: "FailNode" });

/** A step of a workflow. */
export const workflowNodeSchema = z
  .discriminatedUnion("type", [
    operationNodeSchema,
    httpNodeSchema,
    branchNodeSchema,
    switchNodeSchema,
    setNodeSchema,
    codeNodeSchema,
    waitNodeSchema,
    approvalNodeSchema,
    subworkflowNodeSchema,
    channelNodeSchema,
    webhookRespondNodeSchema,
    failNodeSchema,
  ])
  .meta({ id: "WorkflowNode" });
export type WorkflowNode = z.infer<typeof workflowNodeSchema>;

/** A node of one type, such as `NodeOf<"http">`. */
export type NodeOf<Type extends WorkflowNode["type"]> = Extract<WorkflowNode, { type: Type }>;

/**
 * The fields of each node type whose texts are templates. Texts at any depth of these fields are
 * rendered; `for_each` is rendered first, the other fields once for each item.
 */
export const nodeTemplateFields = {
  operation: ["for_each", "params"],
  http: ["for_each", "url", "headers", "query", "body", "body_base64"],
  branch: ["conditions"],
  switch: ["value", "cases"],
  set: ["value"],
  code: ["for_each"],
  wait: ["seconds", "until"],
  approval: ["title", "details", "values"],
  workflow: ["for_each", "payload"],
  channel: ["for_each", "args"],
  webhook_respond: ["respond_status", "respond_body", "respond_headers"],
  fail: ["message"],
} as const satisfies { [Type in WorkflowNode["type"]]: readonly (keyof NodeOf<Type>)[] };
