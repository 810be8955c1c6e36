import { z } from "zod";
import { conditionOperatorSchema, conditionSchema } from "./workflow-condition.ts";
import { workflowIdSchema, workflowNameSchema, workflowSeveritySchema } from "./workflow-names.ts";

/** Any JSON value. Its texts may be templates; names of members are never templates. */
const templatedJson = z.unknown().refine((value) => value !== undefined, { error: "is required." });

/** A text with templates in it. */
const templatedText = z.string();

/** A template whose rendered value is a number. */
const numberTemplate = z.string().includes("{{", { error: "must be a number or a template." });

const common = {
  id: workflowNameSchema.meta({
    description: "The name of the node. Templates read its output as `.Node.<id>`.",
  }),
  label: z.string().max(200).optional().meta({ description: "The name for people." }),
  timeout_s: z.int().min(1).max(3600).optional().meta({
    description: "The time limit of each try, in seconds. The default is that of the node's type.",
  }),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(10).meta({
        description: "How often the node is tried at most, the first try included.",
      }),
      backoff_s: z.number().min(0).max(3600).default(1).meta({
        description:
          "The pause before the second try, in seconds. It doubles before each further try, up to 3,600.",
      }),
    })
    .optional()
    .meta({
      description: "Tries again after failures that can pass by themselves, never after refusals.",
    }),
  on_error: z.enum(["fail", "continue", "route"]).default("fail").meta({
    description:
      "`fail` fails the run, `continue` goes on with `{error, code}` as output, `route` goes on along the edge with the case `error` only.",
  }),
};

const each = {
  for_each: z.string().optional().meta({
    description:
      "A template that gives a list of at most 10,000. The node then runs once for each item, as `.Item` and `.Index`, and its output is the list of outputs.",
  }),
  items_at_once: z.int().min(1).max(32).default(1).meta({
    description: "How many items of `for_each` run at the same time.",
  }),
};

const repeat = {
  repeat: z.boolean().default(false).meta({
    description:
      "Runs the node again after a failure that may have had effects, such as a timeout. Otherwise the run then waits for a person.",
  }),
};

/** Calls an operation of a row, as the owner of the workflow. */
export const operationNodeSchema = z
  .strictObject({
    type: z.literal("operation"),
    ...common,
    tool_id: z.string().min(1).max(200).meta({ description: "The id of the row's operation." }),
    params: z.record(z.string(), templatedJson).default({}).meta({
      description: "The inputs of the operation. Their texts may be templates.",
    }),
    ...each,
    ...repeat,
  })
  .meta({ id: "OperationNode" });

/** Sends a request to a public address. The output is `{status, headers, body}`. */
export const httpNodeSchema = z
  .strictObject({
    type: z.literal("http"),
    ...common,
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
    ...each,
    ...repeat,
  })
  .meta({ id: "HttpNode" });

/** Goes on along the case `true` or `false`. */
export const branchNodeSchema = z
  .strictObject({
    type: z.literal("branch"),
    ...common,
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
    ...common,
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
    ...common,
    value: templatedJson.meta({
      description: "The output: any JSON value. Its texts may be templates.",
    }),
  })
  .meta({ id: "SetNode" });

/** Runs JavaScript with `event`, `node` and `env`. The output is what it returns. */
export const codeNodeSchema = z
  .strictObject({
    type: z.literal("code"),
    ...common,
    source: z.string().max(65_536).meta({
      description: "JavaScript, the body of a function. It is not a template.",
    }),
    timeout_ms: z.int().min(1).max(10_000).default(1000).meta({
      description: "The time limit, in milliseconds.",
    }),
    ...each,
  })
  .meta({ id: "CodeNode" });

/** Waits for a time, also while the hub restarts. Exactly one of its fields is set. */
export const waitNodeSchema = z
  .strictObject({
    type: z.literal("wait"),
    ...common,
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
    ...common,
    title: templatedText.min(1).max(1000).meta({ description: "The question. A template." }),
    details: templatedText.max(65_536).default("").meta({
      description: "What the approvers need to know. A template.",
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

/** Runs another workflow, as the other workflow's owner. */
export const subworkflowNodeSchema = z
  .strictObject({
    type: z.literal("workflow"),
    ...common,
    workflow_id: workflowIdSchema.meta({ description: "The id of the other workflow." }),
    payload: templatedJson.optional().meta({
      description: "The payload of the other run. Its texts may be templates.",
    }),
    wait: z.boolean().default(true).meta({
      description:
        "`true` waits for the other run, and its last output is the output. `false` goes on, and its id is the output.",
    }),
    ...each,
    ...repeat,
  })
  .meta({ id: "SubworkflowNode" });

/** Sends a message or another action to a channel. */
export const channelNodeSchema = z
  .strictObject({
    type: z.literal("channel"),
    ...common,
    channel: z.string().min(1).max(64).meta({
      description: "The slug of a channel, or its kind while there is one channel of the kind.",
    }),
    op: z.string().min(1).max(64).meta({ description: "The action, such as `send_message`." }),
    args: z.record(z.string(), templatedJson).default({}).meta({
      description: "The inputs of the action. Their texts may be templates.",
    }),
    ...each,
    ...repeat,
  })
  .meta({ id: "ChannelNode" });

/** Answers the request that started the run, if its trigger's `respond_mode` is `respond_node`. */
export const webhookRespondNodeSchema = z
  .strictObject({
    type: z.literal("webhook_respond"),
    ...common,
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
    ...common,
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
  approval: ["title", "details"],
  workflow: ["for_each", "payload"],
  channel: ["for_each", "args"],
  webhook_respond: ["respond_status", "respond_body", "respond_headers"],
  fail: ["message"],
} as const satisfies { [Type in WorkflowNode["type"]]: readonly (keyof NodeOf<Type>)[] };
