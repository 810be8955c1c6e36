import { z } from "zod";
import { timeSchema } from "./time.ts";

/** What can need a person, the most harmful first. */
export const attentionKindSchema = z.enum([
  "database_damaged",
  "check_failed",
  "disk_low",
  "sign_ins_refused",
  "plugin_refused",
  "row_refused",
  "channel_not_connected",
  "row_unreachable",
  "approval_waiting",
  "row_failing",
  "workflow_failed",
  "backup_late",
  "backup_missing",
  "check_warning",
  "user_waiting",
  "token_expiring",
  "row_needs_setup",
  "row_needs_review",
]);
export type AttentionKind = z.infer<typeof attentionKindSchema>;

/** Something that a person should look at. */
export const attentionItemSchema = z
  .object({
    kind: attentionKindSchema,
    harm: z.int().meta({ description: "From 1 to 100. The items are sorted by it." }),
    subject: z.object({
      kind: z.enum(["row", "channel", "plugin", "workflow", "approval", "user", "token", "hub"]),
      id: z.string().nullable().meta({ description: "Null for the hub, and for several of them." }),
      name: z.string(),
    }),
    text: z.string().meta({ description: "What is wrong with it, and what to do, as sentences." }),
    since: timeSchema.nullable().meta({ description: "Null if the hub does not know it." }),
    path: z.string().meta({ description: "The page of the hub where it is mended." }),
  })
  .meta({ id: "AttentionItem" });
export type AttentionItem = z.infer<typeof attentionItemSchema>;
