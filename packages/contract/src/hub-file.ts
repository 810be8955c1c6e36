import { z } from "zod";
import { callRuleInputSchema, ruleAsksSchema, ruleUsersMax } from "./call-rule.ts";
import { pluginKeyPattern } from "./plugin-manifest.ts";
import { rowAccessSchema, rowTestsSchema } from "./row.ts";
import { roleSchema } from "./user.ts";
import { workflowRowsSchema, workflowRunBySchema } from "./workflow.ts";
import { workflowIdSchema, workflowVariableSchema } from "./workflow-names.ts";

const tagsSchema = z.array(z.string()).max(100);

/** `keep`, `env:NAME` or `file:PATH`. */
const secretSchema = z.string().max(4200).meta({
  description:
    "`keep` leaves the secret as it is, set or not. `env:NAME` and `file:PATH` are read where the command runs; the path starts at the folder of this file. An empty text removes the secret.",
});

const userSchema = z
  .strictObject({
    email: z.string().meta({ description: "By it the user is found." }),
    name: z.string().optional(),
    role: roleSchema.optional(),
    status: z.enum(["active", "disabled"]).optional(),
    tags: tagsSchema.optional().meta({ description: "Replaces the user's tags." }),
  })
  .meta({ id: "HubFileUser" });

const pluginSchema = z
  .strictObject({
    key: z
      .string()
      .regex(pluginKeyPattern, "must have 1 to 64 lower-case letters, digits and underscores"),
    version: z.string().optional().meta({
      description: "The version that must be installed. Without it, any version is right.",
    }),
    source: z.string().optional().meta({
      description:
        "From where a missing plugin is installed, as `hub plugin install` takes it. The default is its key in the catalog.",
    }),
    enabled: z.boolean().optional(),
  })
  .meta({ id: "HubFilePlugin" });

/** A rule as pages set it, with users by their e-mails. Its members are optional, but `asks`. */
const ruleSchema = z
  .strictObject({
    ...callRuleInputSchema.partial().shape,
    asks: ruleAsksSchema,
    except_users: z.array(z.string()).max(ruleUsersMax).optional().meta({
      description: "E-mails of users whose calls are not asked about.",
    }),
  })
  .meta({ id: "HubFileRule" });

const rowSchema = z
  .strictObject({
    id: z.uuid().optional().meta({
      description:
        "The row's id, which is part of tool ids. Without it, the row is found by its connector and label, and a new one gets a new id.",
    }),
    connector: z.string(),
    from: z.enum(["plugin", "built-in"]).optional().meta({
      description:
        "Whose connector it is. A hub on which the key belongs to the other refuses the row. Without it, the key alone counts.",
    }),
    label: z.string(),
    slug: z.string().optional().meta({ description: "Of a channel." }),
    description: z.string().optional(),
    tags: tagsSchema.optional().meta({ description: "Replaces the row's tags." }),
    access: rowAccessSchema.optional().meta({
      description: "Whose accounts its calls use. The default is `shared`.",
    }),
    tests: rowTestsSchema.optional().meta({
      description:
        "Who may test the row: `admins`, which is the default of a new row, or `tag`, which adds the users who share a tag with it.",
    }),
    enabled: z.boolean().optional(),
    values: z.record(z.string(), z.unknown()).optional().meta({
      description:
        "By field. Fields that are left out stay as they are; an empty text removes a value. A secret field has `keep`, `env:NAME` or `file:PATH`.",
    }),
    operations: z.record(z.string(), z.boolean()).optional().meta({
      description: "Whether clients may call an operation. Those that are left out stay.",
    }),
    reads: z.array(z.string()).max(100_000).optional().meta({
      description:
        "The operations that an admin has marked as ones that only read: of an mcp, openapi or http row, or of a plugin without a trusted signature. Replaces the marks. Operations that are not approved keep none.",
    }),
    rules: z.array(ruleSchema).max(1_000).optional().meta({
      description:
        "What is asked before calls of the row run. Replaces the rules of the row. The rule of an operation takes the place of that of the row.",
    }),
  })
  .meta({ id: "HubFileRow" });

const workflowSchema = z
  .strictObject({
    id: workflowIdSchema,
    name: z.string(),
    description: z.string().optional(),
    owner: z.string().meta({ description: "The e-mail of the user as whom its runs act." }),
    tags: tagsSchema.optional().meta({ description: "Replaces the workflow's tags." }),
    run_by: workflowRunBySchema.optional(),
    enabled: z.boolean().optional(),
    published: z.boolean().default(true).meta({
      description: "Whether `body` is published. If not, it is the draft.",
    }),
    body: z.record(z.string(), z.unknown()),
    draft: z.record(z.string(), z.unknown()).optional().meta({
      description: "The draft, if it differs from what is published.",
    }),
    rows: workflowRowsSchema.optional(),
    secrets: z.record(workflowVariableSchema, secretSchema).optional(),
  })
  .meta({ id: "HubFileWorkflow" });

/** A hub as a file: what `hub export` writes and `hub apply` reads. */
export const hubFileSchema = z
  .strictObject({
    hub_file: z.literal(1).meta({ description: "The version of the format." }),
    settings: z.record(z.string(), z.string()).optional().meta({
      description: "Stored settings, by their variables. Others are read at the start of the hub.",
    }),
    tags: z.array(z.string()).max(10_000).optional(),
    users: z.array(userSchema).max(10_000).optional(),
    plugins: z.array(pluginSchema).max(1_000).optional(),
    disabled_connectors: z.array(z.string()).max(1_000).optional().meta({
      description: "Connectors of which no row can be called. All others are enabled.",
    }),
    rows: z.array(rowSchema).max(10_000).optional(),
    workflows: z.array(workflowSchema).max(10_000).optional(),
  })
  .meta({ id: "HubFile" });
export type HubFile = z.infer<typeof hubFileSchema>;
export type HubFileRow = z.infer<typeof rowSchema>;
export type HubFileUser = z.infer<typeof userSchema>;
export type HubFilePlugin = z.infer<typeof pluginSchema>;
export type HubFileWorkflow = z.infer<typeof workflowSchema>;

/** The JSON Schema of the file, for editors. */
export function toHubFileJsonSchema(): object {
  return z.toJSONSchema(hubFileSchema, { io: "input" });
}

/** One difference between a file and a hub. A value of a secret is never in it. */
export const hubFileChangeSchema = z.object({
  action: z.enum(["create", "update", "delete", "disable", "install", "unchecked"]),
  kind: z.enum(["setting", "tag", "user", "plugin", "connector", "row", "workflow"]),
  name: z.string(),
  id: z.string().nullable(),
  fields: z.array(
    z.object({ field: z.string(), from: z.unknown(), to: z.unknown(), secret: z.boolean() }),
  ),
});
export type HubFileChange = z.infer<typeof hubFileChangeSchema>;

/** The answer of `hub apply`. */
export type HubFileReport = {
  dry_run: boolean;
  changes: HubFileChange[];
  /** What a person must still do, such as setting a secret. */
  notes: string[];
};
