import { z } from "zod";

/** One operation of one row, as `hub_list` shows it. */
export const toolEntrySchema = z.object({
  /** `conn:{row id}/{operation key}`; survives a change of the row's label. */
  tool_id: z.string(),
  /** Name of the connector, the same for all of its rows. */
  connector: z.string(),
  /** Label of the row, which distinguishes rows of the same connector. */
  label: z.string(),
  /** Name of the operation. */
  name: z.string(),
  /** One line; `hub_get` has the full text. */
  description: z.string(),
  destructive: z.boolean(),
});
export type ToolEntry = z.infer<typeof toolEntrySchema>;

/** JSON Schema of an operation's params or result; always that of an object for params. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof jsonSchemaSchema>;

/** A hit of `hub_search`: the best few carry what is needed to execute them at once. */
export const foundToolSchema = toolEntrySchema.extend({
  input_schema: jsonSchemaSchema.optional(),
});
export type FoundTool = z.infer<typeof foundToolSchema>;

/** All there is to know of one tool: the answer of `hub_get`. */
export const toolDetailSchema = toolEntrySchema.extend({
  input_schema: jsonSchemaSchema,
  output_schema: jsonSchemaSchema.optional(),
  examples: z
    .array(
      z.object({ params: z.record(z.string(), z.unknown()), description: z.string().optional() }),
    )
    .optional(),
});
export type ToolDetail = z.infer<typeof toolDetailSchema>;

/** Answer of `hub_list`. */
export const toolListSchema = z.object({
  tools: z.array(toolEntrySchema),
  total: z.int(),
});
export type ToolList = z.infer<typeof toolListSchema>;

/** Answer of `hub_search`; `total` counts all matches, `tools` are one page of them. */
export const toolSearchSchema = z.object({
  tools: z.array(foundToolSchema),
  total: z.int(),
  query: z.string(),
});
export type ToolSearch = z.infer<typeof toolSearchSchema>;
