import { z } from "zod";

/** An operation of a row, as in `hub_list`. */
export const toolEntrySchema = z.object({
  /** `conn:{row id}/{operation key}`. It stays the same if the row's label changes. */
  tool_id: z.string(),
  /** Name of the connector. */
  connector: z.string(),
  /** Label of the row, which distinguishes rows of the same connector. */
  label: z.string(),
  /** Name of the operation. */
  name: z.string(),
  /** One line; `hub_get` has the full text. */
  description: z.string(),
  destructive: z.boolean(),
  /** It only reads, so `hub_read` runs it: its author says so, or an admin has marked it. */
  reads: z.literal(true).optional(),
});
export type ToolEntry = z.infer<typeof toolEntrySchema>;

/** JSON Schema of an operation's params or result. The schema of params is always an object. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof jsonSchemaSchema>;

/** A result of `hub_search`. The best five can be called without `hub_get`, because they have their inputs. */
export const foundToolSchema = z.object({
  tool_id: z.string(),
  /** Name of the connector, if it is not the label. */
  connector: z.string().optional(),
  label: z.string(),
  name: z.string(),
  /** The first sentence, without the name. Empty if there is nothing else to say. */
  description: z.string(),
  destructive: z.literal(true).optional(),
  reads: z.literal(true).optional(),
  /** The inputs in one line: `(owner: string, state?: "open"|"closed" = "open", …2 more)`. */
  signature: z.string().optional(),
  /** The input schema has rules that the signature does not show. */
  exact: z.literal(false).optional(),
  /** In place of `signature`, if it is asked for. */
  input_schema: jsonSchemaSchema.optional(),
});
export type FoundTool = z.infer<typeof foundToolSchema>;

/** The labels of the caller's own accounts in the row, if its calls use them. With several, a call names one in `account`. */
const accountLabelsSchema = z.array(z.string()).optional();

/** The full description of a tool: the answer of `hub_get`. */
export const toolDetailSchema = toolEntrySchema.extend({
  input_schema: jsonSchemaSchema,
  output_schema: jsonSchemaSchema.optional(),
  /** Workflows may repeat the operation after a failure, although it is destructive. */
  idempotent: z.literal(true).optional(),
  examples: z
    .array(
      z.object({ params: z.record(z.string(), z.unknown()), description: z.string().optional() }),
    )
    .optional(),
  accounts: accountLabelsSchema,
});
export type ToolDetail = z.infer<typeof toolDetailSchema>;

/** A row, as in `hub_list` with `rows: true`. */
export const rowEntrySchema = z.object({
  label: z.string(),
  /** Name of the connector. */
  connector: z.string(),
  /** One line. Empty if it has none. */
  description: z.string(),
  /** The number of operations that the caller may call: at least 1. */
  operations: z.int(),
  accounts: accountLabelsSchema,
});
export type RowEntry = z.infer<typeof rowEntrySchema>;

/** The answer of `hub_list`. */
export const toolListSchema = z.object({
  /** What to ask instead, if the list is long. */
  hint: z.string().optional(),
  tools: z.array(toolEntrySchema),
  total: z.int(),
});
export type ToolList = z.infer<typeof toolListSchema>;

/** The answer of `hub_list` with `rows: true`. */
export const rowListSchema = z.object({ rows: z.array(rowEntrySchema), total: z.int() });
export type RowList = z.infer<typeof rowListSchema>;

/** The answer of `hub_search`: a page of tools. `total` counts all matches. */
export const toolSearchSchema = z.object({
  /** How to read texts of outside systems, if the page has some. */
  note: z.string().optional(),
  tools: z.array(foundToolSchema),
  total: z.int(),
  query: z.string(),
  /** The number of tools that each word of the query matches. 0: no tool has the word. */
  words: z.record(z.string(), z.int()),
  /** If even the best match is weak: words and labels to search for instead. */
  related: z.array(z.string()).optional(),
  /** The descriptions of the rows of the first five tools on this page, each once. */
  rows: z.array(z.object({ label: z.string(), description: z.string() })).optional(),
});
export type ToolSearch = z.infer<typeof toolSearchSchema>;
