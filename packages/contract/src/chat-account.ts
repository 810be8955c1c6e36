import { z } from "zod";
import { timeSchema } from "./time.ts";

const identityShape = {
  kind: z.string().meta({ description: "The chat platform: the key of its connector." }),
  team_id: z.string().nullable().meta({
    description: "The workspace. Null on platforms without workspaces.",
  }),
  team_name: z.string().nullable(),
  account_id: z.string().meta({ description: "The platform's id of the person." }),
  account_name: z.string().nullable(),
};

/** An account on a chat platform that belongs to a user. */
export const chatAccountSchema = z
  .object({ id: z.string(), ...identityShape, linked_at: timeSchema })
  .meta({ id: "ChatAccount" });
export type ChatAccount = z.infer<typeof chatAccountSchema>;

/** A link that the user has begun in this browser. */
export const chatLinkSchema = z
  .object({
    id: z.uuid(),
    expires_at: timeSchema,
    claimed_by: z
      .object({
        ...identityShape,
        channel: z.string().meta({ description: "The channel over which the code came." }),
      })
      .nullable()
      .meta({ description: "The chat account that sent the code. Null before." }),
    confirmed_in_chat: z.boolean().meta({
      description: "Whether that account has answered yes. Then the link can be confirmed.",
    }),
  })
  .meta({ id: "ChatLink" });
export type ChatLink = z.infer<typeof chatLinkSchema>;

/** A link with its code, which is shown once. */
export const createdChatLinkSchema = chatLinkSchema
  .extend({
    code: z.string().meta({ description: "Send it to the bot as a direct message." }),
  })
  .meta({ id: "CreatedChatLink" });
export type CreatedChatLink = z.infer<typeof createdChatLinkSchema>;
