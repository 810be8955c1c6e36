import { z } from "zod";
import { timeSchema } from "./time.ts";

/** An entry of the record of changes: who changed what, when, and from where. */
export const changeSchema = z
  .object({
    id: z.uuid(),
    changed_at: timeSchema,
    actor_id: z.string(),
    actor: z.string().meta({
      description: "E-mail of the actor at that time; `local-admin` for the command line.",
    }),
    via: z.string().meta({
      description: "`session`, `token`, `command line`, `chat`, `client`, `scim` or `hub`.",
    }),
    token_id: z.string().nullable(),
    ip_address: z.string().nullable(),
    action: z.string().meta({ description: "Noun and verb, such as `row.update`." }),
    target_kind: z.string(),
    target_id: z.string(),
    target: z.string().meta({ description: "The target's name at that time." }),
    detail: z
      .record(z.string(), z.unknown())
      .meta({ description: "The names of the changed fields; never a secret." }),
    saves: z.object({ count: z.int(), since: timeSchema }).optional().meta({
      description:
        "In a grouped list: how many saves of a draft the entry stands for, up to 1,000, and when the first was made.",
    }),
  })
  .meta({ id: "Change" });
export type ChangeEntry = z.infer<typeof changeSchema>;
