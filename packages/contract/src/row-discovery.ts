import { z } from "zod";
import { timeSchema } from "./time.ts";

/** What an outside system says of an operation, as it is stored. */
export const operationDefinitionSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    destructive: z.boolean(),
    idempotent: z.boolean(),
    input_schema: z.unknown().meta({ description: "A JSON Schema." }),
    output_schema: z.unknown().optional(),
    binding: z.unknown().optional().meta({
      description: "What the connector needs to call it, such as a method and a path.",
    }),
  })
  .meta({ id: "OperationDefinition" });
export type OperationDefinition = z.infer<typeof operationDefinitionSchema>;

const reviewSchema = z.enum(["new", "changed", "invalid", "gone"]).meta({
  description:
    "`invalid` was approved, and the outside system now describes it in a way that cannot be used.",
});

/** An operation of a row that waits for an admin. */
export const reviewedOperationSchema = z
  .object({
    key: z.string(),
    tool_id: z.string(),
    source_name: z.string().meta({ description: "The name in the outside system." }),
    review: reviewSchema,
    digest: z.string().meta({
      description:
        "Identifies the definition. An approval names it, so that it approves what was shown.",
    }),
    definition: operationDefinitionSchema,
    approved: operationDefinitionSchema.nullable().meta({
      description: "The definition that was approved before. Null for a new operation.",
    }),
    warnings: z.array(z.string()).meta({
      description: "What an admin should look at in its texts, such as orders to the model.",
    }),
  })
  .meta({ id: "ReviewedOperation" });
export type ReviewedOperation = z.infer<typeof reviewedOperationSchema>;

/** A line of the review: an operation that waits, without its schemas. */
export const reviewLineSchema = z
  .object({
    key: z.string(),
    source_name: z.string(),
    review: reviewSchema,
    digest: z.string().meta({ description: "Send it to approve the operation as it is shown." }),
    name: z.string(),
    description: z.string().meta({ description: "One line of at most 200 characters." }),
    method: z.string().nullable().meta({ description: "Of an API's operation." }),
    path: z.string().nullable(),
    destructive: z.boolean(),
    warnings: z.array(z.string()),
    changed: z.array(z.string()).meta({
      description: "The parts that differ from what was approved, such as `description`.",
    }),
  })
  .meta({ id: "ReviewLine" });
export type ReviewLine = z.infer<typeof reviewLineSchema>;

/** An operation that cannot be used, or several together. */
const leftOutSchema = z.object({ source_name: z.string(), reason: z.string() });

const leftOutTotal = z.int().meta({
  description: "How many operations are left out. An entry can stand for several.",
});

/** A page of the operations that a discovery left out. */
export const leftOutPageSchema = z
  .object({
    left_out: z.array(leftOutSchema),
    left_out_total: leftOutTotal,
    next: z.string().nullable().meta({ description: "Null on the last page." }),
  })
  .meta({ id: "LeftOutPage" });
export type LeftOutPage = z.infer<typeof leftOutPageSchema>;

/** The state of the operations that a row brought. */
export const rowDiscoverySchema = z
  .object({
    row_id: z.uuid(),
    tried_at: timeSchema.nullable(),
    discovered_at: timeSchema.nullable().meta({
      description: "The time of the last discovery that succeeded.",
    }),
    failure: z.string().nullable().meta({ description: "Why the last discovery failed." }),
    stamp: z.string().nullable().meta({
      description: "Changes with each change of the operations. Send it to approve all of them.",
    }),
    operations: z.int(),
    waiting: z.int().meta({ description: "The operations that wait for an admin's review." }),
    left_out: z.array(leftOutSchema).meta({ description: "The first 100 entries." }),
    left_out_total: leftOutTotal,
  })
  .meta({ id: "RowDiscovery" });
export type RowDiscovery = z.infer<typeof rowDiscoverySchema>;

/** The answer of a discovery. */
export const discoveryReportSchema = rowDiscoverySchema
  .extend({
    added: z.array(z.string()),
    changed: z.array(z.string()),
    gone: z.array(z.string()),
  })
  .meta({ id: "DiscoveryReport" });
export type DiscoveryReport = z.infer<typeof discoveryReportSchema>;

/** The answer after operations were marked as ones that only read, or lost the mark. */
export const readMarksSchema = z
  .object({
    row_id: z.uuid(),
    reads: z.boolean(),
    operations: z.array(z.string()).meta({ description: "Those that changed: the first 100." }),
    count: z.int().meta({ description: "How many changed." }),
  })
  .meta({ id: "ReadMarks" });
export type ReadMarks = z.infer<typeof readMarksSchema>;

/** A server that a row's document names. Calls go there only if an admin has chosen it. */
export const documentServerSchema = z
  .object({
    url: z.string().meta({ description: "As the document has it." }),
    address: z.string().nullable().meta({
      description: "The whole address with the defaults of its variables. Null if it is not one.",
    }),
    shared: z.boolean().meta({ description: "Whether it is for all operations, not only some." }),
  })
  .meta({ id: "DocumentServer" });
export type DocumentServer = z.infer<typeof documentServerSchema>;
