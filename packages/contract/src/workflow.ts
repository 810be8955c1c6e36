import { z } from "zod";
import { timeSchema } from "./time.ts";
import { workflowIdSchema, workflowVariableSchema } from "./workflow-names.ts";

/** Who may start a workflow by hand: those who share a tag with it, too, or only its owner. */
export const workflowRunBySchema = z.enum(["tags", "owner"]).meta({
  description:
    "Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may.",
});
export type WorkflowRunBy = z.infer<typeof workflowRunBySchema>;

/** A user in an answer about a workflow. */
export const workflowUserSchema = z
  .object({
    id: z.string(),
    email: z.string().meta({ description: "`local-admin` for the command line." }),
  })
  .meta({ id: "WorkflowUser" });
export type WorkflowUser = z.infer<typeof workflowUserSchema>;

/** What the caller may do with a workflow. */
export const workflowAccessSchema = z.enum(["manage", "accept", "see"]).meta({
  description:
    "`manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it.",
});
export type WorkflowAccess = z.infer<typeof workflowAccessSchema>;

/** The draft of a workflow, without its body. */
export const workflowDraftSchema = z
  .object({
    revision: z.int().meta({
      description: "Increases with every change of the draft. Send it with the next change.",
    }),
    saved_at: timeSchema,
    saved_by: workflowUserSchema,
    is_published: z.boolean().meta({ description: "Whether the draft is the published body." }),
  })
  .meta({ id: "WorkflowDraft" });
export type WorkflowDraft = z.infer<typeof workflowDraftSchema>;

/** A workflow as lists show it. */
export const workflowSchema = z
  .object({
    id: workflowIdSchema,
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).meta({
      description:
        "Users who share a tag see the workflow. Its owner and admins see all tags, others only their own.",
    }),
    enabled: z.boolean().meta({
      description: "Triggers of a disabled workflow do not fire. It can be started by hand.",
    }),
    version: z.int().meta({ description: "The number of publications; 0 if it never was." }),
    run_by: workflowRunBySchema,
    access: workflowAccessSchema,
    may_start: z.boolean().meta({ description: "Whether the caller may start it by hand." }),
    has_active_owner: z.boolean().meta({
      description: "A workflow whose owner is not an active user does not run.",
    }),
    owner: workflowUserSchema
      .nullable()
      .meta({ description: "Null for callers who only share a tag." }),
    pending_owner: workflowUserSchema.nullable().meta({
      description: "The user to whom the workflow is offered. Null for callers who share a tag.",
    }),
    draft: workflowDraftSchema
      .nullable()
      .meta({ description: "Null for callers who only share a tag." }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: "Workflow" });
export type Workflow = z.infer<typeof workflowSchema>;

/** The name of a secret of a workflow. Its value is never shown. */
export const workflowSecretSchema = z
  .object({
    name: z.string(),
    is_set: z.boolean(),
    is_used: z.boolean().meta({ description: "Whether the draft or the published body needs it." }),
    updated_at: timeSchema.nullable(),
  })
  .meta({ id: "WorkflowSecret" });
export type WorkflowSecret = z.infer<typeof workflowSecretSchema>;

/** A workflow with its draft. */
export const workflowDetailSchema = workflowSchema
  .extend({
    body: z.unknown().meta({
      description: "The body of the draft. Null for callers who only share a tag.",
    }),
    secrets: z.array(workflowSecretSchema).nullable().meta({
      description: "The secrets that are set or needed. Null for callers who only share a tag.",
    }),
  })
  .meta({ id: "WorkflowDetail" });
export type WorkflowDetail = z.infer<typeof workflowDetailSchema>;

/** Something that a workflow calls, so that those who may start it can make its owner call it. */
export const workflowOpenedSchema = z
  .object({
    node: z.string().meta({ description: "The id of the node." }),
    type: z.string().meta({ description: "The type of the node." }),
    target: z.string().meta({
      description:
        "The id of an operation or a workflow, the method and address of a request, or the channel of a message.",
    }),
  })
  .meta({ id: "WorkflowOpened" });
export type WorkflowOpened = z.infer<typeof workflowOpenedSchema>;

/** A publication of a workflow. */
export const workflowVersionSchema = z
  .object({
    version: z.int(),
    note: z.string(),
    published_by: workflowUserSchema,
    published_at: timeSchema,
    is_published: z.boolean().meta({ description: "Whether runs use this version." }),
    is_draft: z.boolean().meta({ description: "Whether the draft is the same." }),
  })
  .meta({ id: "WorkflowVersion" });
export type WorkflowVersion = z.infer<typeof workflowVersionSchema>;

/** The rows that nodes call by their ids, with the connectors that they had where the workflow came from. */
export const workflowRowsSchema = z
  .record(
    z.uuid(),
    z.strictObject({
      connector: z.string().max(200),
      from: z.enum(["plugin", "built-in"]),
    }),
  )
  .meta({
    description:
      "By the ids of the rows that nodes call: their connector, and whose it is. A hub on which a row is of another connector refuses the workflow. Rows that are left out count by their ids alone.",
  });
export type WorkflowRows = z.infer<typeof workflowRowsSchema>;

/** The format of an exported workflow. */
export const workflowExportSchema = z
  .strictObject({
    format: z.literal("hub-workflow").default("hub-workflow"),
    name: z.string(),
    description: z.string().default(""),
    run_by: workflowRunBySchema.default("tags"),
    body: z.unknown().meta({ description: "The body of the draft." }),
    rows: workflowRowsSchema.optional(),
    secrets: z.array(workflowVariableSchema).max(1000).default([]).meta({
      description: "The names of the secrets that it needs. Their values are never exported.",
    }),
  })
  .meta({ id: "WorkflowExport" });
export type WorkflowExport = z.infer<typeof workflowExportSchema>;
