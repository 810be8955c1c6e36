import { z } from "zod";
import { documentServerSchema } from "./row-discovery.ts";
import { rowStateNameSchema } from "./row-state.ts";

/** A way to authenticate that a new connection can have. */
export const plannedAuthenticationSchema = z
  .object({
    name: z.string().meta({ description: "The name of the scheme in the document." }),
    mode: z.string().meta({ description: "The value of the row's field `auth_mode`." }),
    description: z.string(),
    fields: z.array(
      z.object({
        key: z.string(),
        name: z.string(),
        secret: z.boolean(),
        required: z.boolean(),
        value: z.string().meta({ description: "What the document suggests." }),
      }),
    ),
  })
  .meta({ id: "PlannedAuthentication" });
export type PlannedAuthentication = z.infer<typeof plannedAuthenticationSchema>;

/** An operation of a planned connection. */
export const plannedOperationSchema = z
  .object({
    key: z.string(),
    source_name: z.string(),
    method: z.string().nullable(),
    path: z.string().nullable(),
    name: z.string(),
    description: z.string().meta({
      description: "One line of at most 200 characters; the whole text if there are warnings.",
    }),
    tags: z.array(z.string()),
    destructive: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: "PlannedOperation" });
export type PlannedOperation = z.infer<typeof plannedOperationSchema>;

/** What the hub found at an address or in a document, before there is a row of it. */
export const connectionPlanSchema = z
  .object({
    kind: z.enum(["openapi", "mcp"]),
    address: z.string().nullable(),
    title: z.string(),
    logo: z.string().nullable().meta({
      description:
        "The name of the logo of the system that is called: of its servers, if all are of one brand, else null.",
    }),
    version: z.string(),
    description: z.string(),
    servers: z.array(documentServerSchema),
    authentications: z.array(plannedAuthenticationSchema).meta({
      description:
        "Those that the outside system asks for come first. `none` is always among them.",
    }),
    needs_authentication: z.boolean().meta({
      description: "Whether the outside system shows its operations only after authentication.",
    }),
    operations: z.array(plannedOperationSchema),
    reads: z.int().meta({ description: "The operations that only read." }),
    left_out: z.array(z.object({ source_name: z.string(), reason: z.string() })).meta({
      description: "The first 100.",
    }),
    left_out_total: z.int(),
    digest: z.string().meta({
      description: "Identifies the operations that were shown. Send it to make the connection.",
    }),
  })
  .meta({ id: "ConnectionPlan" });
export type ConnectionPlan = z.infer<typeof connectionPlanSchema>;

/** A connection that was made. */
export const madeConnectionSchema = z
  .object({
    id: z.uuid(),
    connector: z.string(),
    label: z.string(),
    logo: z
      .string()
      .nullable()
      .meta({ description: "The name of the logo of the row, as in rows." }),
    state: rowStateNameSchema.meta({ description: "The state of the row." }),
    note: z.string().nullable().meta({
      description: "What must be done before the row can be called. Null for nothing.",
    }),
    approved: z.int(),
    waiting: z.int(),
    try_operation: z.string().nullable().meta({
      description:
        "The key of an approved operation for a test: one that only reads, if there is one.",
    }),
  })
  .meta({ id: "MadeConnection" });
export type MadeConnection = z.infer<typeof madeConnectionSchema>;
