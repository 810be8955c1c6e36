import { z } from "zod";
import { logoSchema } from "./logo.ts";

/** An operation that the caller's clients can call now, as people see it. */
export const callableOperationSchema = z
  .object({
    tool_id: z
      .string()
      .meta({ description: "The id for `hub_get`, `hub_execute` and `hub_read`." }),
    row: z.uuid().meta({ description: "Id of its row." }),
    operation: z.string().meta({ description: "Its key." }),
    label: z.string().meta({ description: "Label of its row." }),
    connector: z.string().meta({ description: "Key of the connector." }),
    connector_name: z.string(),
    logo: logoSchema,
    name: z.string(),
    description: z.string().meta({ description: "One line of at most 200 characters." }),
    destructive: z.boolean(),
    reads: z.boolean().meta({
      description:
        "Whether it only reads: `hub_read` runs it. Its author says so, or an admin has marked it.",
    }),
    may_test: z.boolean().meta({ description: "Whether its row lets the caller test it." }),
  })
  .meta({ id: "CallableOperation" });
export type CallableOperation = z.infer<typeof callableOperationSchema>;

/** What a client is answered when it looks for operations or reads one. */
export const modelAnswerSchema = z
  .object({
    tool: z.enum(["hub_search", "hub_get"]),
    arguments: z.record(z.string(), z.unknown()),
    answer: z
      .object({
        content: z.array(z.record(z.string(), z.unknown())),
        structuredContent: z.record(z.string(), z.unknown()).optional(),
        isError: z.boolean().optional(),
      })
      .meta({ description: "The result of `tools/call`, as it is sent." }),
  })
  .meta({ id: "ModelAnswer" });
export type ModelAnswer = z.infer<typeof modelAnswerSchema>;
