import { defineConnector } from "@hub/connector";
import { checkHealth } from "./check-telegram-health.ts";
import { lookupChats } from "./lookup-chats.ts";
import { answerCallback, answerCallbackInput } from "./operations/answer-callback.ts";
import { editedSchema, editMessage, editMessageInput } from "./operations/edit-message.ts";
import { sentSchema } from "./operations/send-parts.ts";
import {
  reply,
  replyInput,
  sendMessage,
  sendMessageInput,
} from "./operations/send-telegram-message.ts";
import { telegramConfig } from "./telegram-config-fields.ts";

/** Telegram: one row is one bot. Its events are in `telegram-adapter.ts`. */
export const telegramConnector = defineConnector({
  key: "telegram",
  name: "Telegram",
  icon: "send",
  tier: "builtin",
  description: "A Telegram bot: its messages and commands start workflows, and it sends messages.",
  config: telegramConfig,
  operations: {
    send_message: {
      name: "Send message",
      description:
        "Send a message to a Telegram chat as the bot.\nThe bot must be in the group or channel, and a user must have started it before. Text over 4,096 characters, or with over 100 links and styled texts, becomes several messages, ten at most. Returns channel_id and ts, the message's id for reply and edit_message. Repeating the call sends a second message.",
      input: sendMessageInput,
      output: sentSchema,
      destructive: true,
      examples: [
        {
          description: "A question with buttons",
          params: {
            channel_id: "-1002000000001",
            text: "Deploy **web** now?",
            buttons: [
              { text: "Deploy", command: "/deploy web" },
              { text: "Log", url: "https://ci.example.com/42" },
            ],
          },
        },
      ],
      run: (ctx) => sendMessage(ctx),
    },
    reply: {
      name: "Reply",
      description:
        "Reply to a message in a Telegram chat, in its topic if it has one.\nTake channel_id and ts or thread_ts from the event. Returns channel_id and ts of the reply. Repeating the call sends a second reply.",
      input: replyInput,
      output: sentSchema,
      destructive: true,
      examples: [{ params: { channel_id: "5000000001", thread_ts: "42", text: "It is *green*." } }],
      run: (ctx) => reply(ctx),
    },
    edit_message: {
      name: "Edit message",
      description:
        "Replace the text and the buttons of a message that this bot sent.\nWithout buttons, its buttons go. Returns changed: false if the message was like this before.",
      input: editMessageInput,
      output: editedSchema,
      destructive: true,
      idempotent: true,
      examples: [{ params: { channel_id: "5000000001", ts: "43", text: "Deployed." } }],
      run: (ctx) => editMessage(ctx),
    },
    answer_callback: {
      name: "Answer callback",
      description:
        "End the waiting of a user who pressed a button, with a short text if you like.\nUse it within a few seconds, once for each event that has a callback_id.",
      input: answerCallbackInput,
      destructive: true,
      examples: [{ params: { callback_id: "4712345678901234567", text: "Deploying." } }],
      run: (ctx) => answerCallback(ctx),
    },
  },
  health: (ctx) => checkHealth(ctx),
  lookup: (ctx) => lookupChats(ctx),
});
