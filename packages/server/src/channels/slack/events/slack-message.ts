import { z } from "zod";
import { defineChatEvent } from "../../../workflows/channels/chat-event-type.ts";
import { eventFields } from "./slack-event-fields.ts";

const pickers = { channel_ids: "slack.channels", users: "slack.users" };

const { user, channel_id, channel_type, is_dm, ts, thread_ts, team_id } = eventFields;

const messagePayload = z.strictObject({
  user,
  channel_id,
  channel_type,
  is_dm,
  ts,
  thread_ts,
  team_id,
  text: z.string().describe("The text as shown in Slack. Mentions are <@U…>."),
  is_reply: z.boolean().describe("Whether it is in a thread that began with another message."),
  is_edited: z.boolean(),
  bot_id: z.string().nullable().describe("Set if an app sent it."),
  files: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      mimetype: z.string(),
      size: z.number(),
    }),
  ),
});

const sample = {
  user: "U0LAN0Z89",
  channel_id: "C0LAN2Q65",
  channel_type: "channel",
  is_dm: false,
  ts: "1515449522.000016",
  thread_ts: "1515449522.000016",
  team_id: "T0MJRM1A7",
  text: "Can someone look at the deploy?",
  is_reply: false,
  is_edited: false,
  bot_id: null,
  files: [],
};

export const messageEvent = defineChatEvent({
  id: "message",
  name: "Message",
  description:
    "A message in a channel of the bot, also in threads and in direct messages with the bot. Edited messages only if the row includes them, deleted ones never.",
  filters: ["channel_ids", "users", "text_contains", "include_bots", "include_self"],
  pickers,
  payload: messagePayload,
  sample,
});

export const threadStartedEvent = defineChatEvent({
  id: "thread_started",
  name: "Thread started",
  description:
    "A top-level message in a channel of the bot, under which a thread can grow. Never a reply in a thread.",
  filters: ["channel_ids", "users", "text_contains", "include_bots", "include_self"],
  pickers,
  payload: messagePayload,
  sample,
});

export const appMentionEvent = defineChatEvent({
  id: "app_mention",
  name: "Mention of the bot",
  description:
    "A message that mentions the bot, in a channel where it is a member. Direct messages with the bot are message events.",
  filters: ["channel_ids", "users", "text_contains", "include_bots"],
  pickers,
  payload: messagePayload.extend({
    text_after_mention: z.string().describe("The text without the mention at its beginning."),
  }),
  sample: {
    ...sample,
    text: "<@U0LAN0Z10> deploy web",
    text_after_mention: "deploy web",
  },
});
