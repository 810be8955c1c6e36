import { z } from "zod";
import { timeSchema } from "./time.ts";

export const runStatusSchema = z.enum(["running", "success", "error", "denied", "cancelled"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** What started a run: a client's `tools/call`, the manager's test path, or the replay of a run. */
export const runSourceSchema = z.enum(["mcp", "test", "retry"]);
export type RunSource = z.infer<typeof runSourceSchema>;

/** One line of the audit: who called what, when, and how it ended. */
export const runSchema = z.object({
  id: z.uuid(),
  parent_run_id: z.string().nullable(),
  /** Id of the row; null for the meta-tools other than `hub_execute`. */
  connector_id: z.string().nullable(),
  /** The row's label at the time of the call. */
  row_label: z.string().nullable(),
  /** Key of the operation, or name of the meta-tool. */
  operation_key: z.string(),
  user_id: z.string(),
  /** Email of the user; null once the user is deleted. */
  user: z.string().nullable(),
  token_id: z.string().nullable(),
  source: runSourceSchema,
  status: runStatusSchema,
  error_code: z.string().nullable(),
  error_msg: z.string().nullable(),
  latency_ms: z.number().nullable(),
  /** Status of the outside system's answer; null where there was none. */
  http_status: z.int().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  started_at: timeSchema,
  ended_at: timeSchema.nullable(),
});
export type Run = z.infer<typeof runSchema>;

/** A run with what was sent and answered: sealed, and cut to 16 KiB each. */
export const runDetailSchema = runSchema.extend({
  request: z.unknown(),
  response: z.unknown(),
  /** The request was not kept whole, so the run cannot be replayed. */
  request_cut: z.boolean(),
});
export type RunDetail = z.infer<typeof runDetailSchema>;
