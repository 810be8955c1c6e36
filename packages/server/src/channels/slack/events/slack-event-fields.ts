import { z } from "zod";

/** Members that several events have. One spelling for one idea, as in all adapters. */
export const eventFields = {
  user: z.string().describe("The user's id. Of a bot without a user, empty."),
  user_name: z.string().nullable().describe("The user's name, if Slack sends it."),
  channel_id: z.string(),
  channel_type: z
    .string()
    .nullable()
    .describe("channel, group (private), im (direct message) or mpim (group message)."),
  is_dm: z.boolean().describe("Whether it is a direct message with the bot."),
  ts: z.string().describe("The id of the message, for update_message and add_reaction."),
  thread_ts: z
    .string()
    .describe("The thread to answer in: of a message outside threads, the message itself."),
  trigger_id: z.string().describe("Opens a modal, once and within three seconds."),
  response_url: z
    .string()
    .nullable()
    .describe("Where respond answers, five times within 30 minutes."),
  team_id: z.string().nullable(),
};

/** The fields of what a user does outside a message: no channel has to be there. */
export const locationFields = {
  channel_id: eventFields.channel_id.nullable(),
  channel_type: eventFields.channel_type,
  is_dm: eventFields.is_dm,
  ts: eventFields.ts.nullable(),
  thread_ts: eventFields.thread_ts.nullable(),
};

export const viewFields = {
  view_id: z.string(),
  view_hash: z.string().describe("For update_modal: refuses if the view has changed since."),
  callback_id: z.string(),
  private_metadata: z.string(),
};

/** The kind of a conversation by its id, where Slack does not send it. */
export const toChannelType = (channelId: string | null) =>
  channelId === null ? null : channelId.startsWith("D") ? "im" : null;
