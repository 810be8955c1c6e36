import { z } from "zod";
import { timeSchema } from "./time.ts";

/** One line of the record of changes: who changed what, when, and from where. */
export const changeSchema = z.object({
  id: z.uuid(),
  changed_at: timeSchema,
  actor_id: z.string(),
  /** E-mail of the actor at that time; `local-admin` for the command line. */
  actor: z.string(),
  via: z.string().meta({ description: "`session`, `token` or `command line`." }),
  token_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  /** Noun and verb, such as `row.update`. */
  action: z.string(),
  target_kind: z.string(),
  target_id: z.string(),
  /** What it was called at that time. */
  target: z.string(),
  /** What changed, by name; never a secret. */
  detail: z.record(z.string(), z.unknown()),
});
export type ChangeEntry = z.infer<typeof changeSchema>;
