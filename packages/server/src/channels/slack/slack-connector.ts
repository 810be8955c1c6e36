import { defineConnector, type JsonSchema } from "@hub/connector";
import { checkHealth } from "./check-slack-health.ts";
import { createLookUp } from "./look-up-slack.ts";
import {
  addReaction,
  reactionFields,
  replyFields,
  respond,
  respondFields,
  sendFields,
  sendMessage,
  sentSchema,
  updateFields,
  updateMessage,
} from "./operations/slack-messages.ts";
import {
  openDm,
  openDmFields,
  openModal,
  openModalFields,
  publishHome,
  publishHomeFields,
  updateModal,
  updateModalFields,
} from "./operations/views.ts";
import { createSlackApi } from "./slack-api.ts";
import { readSlackConfig, slackConfig } from "./slack-config.ts";

/** Keeps the names of workspaces for some minutes. */
const lookUp = createLookUp({ now: Date.now });

const viewSchema: JsonSchema = {
  type: "object",
  properties: {
    ok: { const: true },
    view_id: { type: ["string", "null"], description: "For update_modal." },
    view_hash: { type: ["string", "null"] },
  },
  required: ["ok", "view_id", "view_hash"],
};

const modalExample = {
  callback_id: "new_ticket",
  title: { type: "plain_text", text: "New ticket" },
  submit: { type: "plain_text", text: "Create" },
  blocks: [
    {
      type: "input",
      block_id: "title_block",
      label: { type: "plain_text", text: "Title" },
      element: { type: "plain_text_input", action_id: "title" },
    },
  ],
};

const buttons = {
  type: "actions",
  elements: [
    {
      type: "button",
      action_id: "approve",
      value: "42",
      style: "primary",
      text: { type: "plain_text", text: "Approve" },
    },
  ],
};

/** Sends to Slack as the bot of an app. Its events are received by the adapter. */
export const slackConnector = defineConnector({
  key: "slack",
  name: "Slack",
  icon: "brand-slack",
  tier: "builtin",
  description:
    "A bot in a Slack workspace: its messages, commands, buttons and forms start workflows, and it answers.",
  config: slackConfig,
  operations: {
    send_message: {
      name: "Send message",
      description:
        "Send a message to a channel or a user of Slack, as the bot.\nText is Markdown unless format says otherwise. Returns ts, the id of the message, for update_message, add_reaction and reply. To answer a message, use reply. The bot must be a member of the channel.",
      input: sendFields,
      output: sentSchema,
      destructive: true,
      examples: [
        {
          description: "A short report",
          params: { channel_id: "C0LAN2Q65", text: "**Deploy of web** is done: 3 services" },
        },
        {
          description: "With a button, whose event block_action has the action_id approve",
          params: { channel_id: "C0LAN2Q65", text: "Deploy web?", blocks: [buttons] },
        },
      ],
      run: (ctx) => sendMessage(ctx, ctx.params),
    },
    reply: {
      name: "Reply in a thread",
      description:
        "Answer in the thread of a message of Slack, as the bot.\nchannel_id and thread_ts are those of the event; a message outside threads gets a thread. broadcast also shows the answer in the channel.",
      input: replyFields,
      output: sentSchema,
      destructive: true,
      examples: [
        {
          params: {
            channel_id: "C0LAN2Q65",
            thread_ts: "1515449522.000016",
            text: "On it. I answer here when it is done.",
          },
        },
      ],
      run: (ctx) => sendMessage(ctx, ctx.params),
    },
    update_message: {
      name: "Change message",
      description:
        "Replace the text or the blocks of a message that the bot sent.\nUse it to show progress, or to remove buttons after they were used. Without blocks the earlier ones stay.",
      input: updateFields,
      output: sentSchema,
      destructive: true,
      idempotent: true,
      examples: [
        { params: { channel_id: "C0LAN2Q65", ts: "1515449522.000016", text: "Deploy: done" } },
      ],
      run: (ctx) => updateMessage(ctx, ctx.params),
    },
    add_reaction: {
      name: "Add reaction",
      description:
        "Add an emoji to a message of Slack, as the bot.\nUse it to show that a request was seen. A reaction that is already there is no error.",
      input: reactionFields,
      destructive: true,
      idempotent: true,
      examples: [
        { params: { channel_id: "C0LAN2Q65", ts: "1515449522.000016", name: "white_check_mark" } },
      ],
      run: (ctx) => addReaction(ctx, ctx.params),
    },
    open_dm: {
      name: "Open direct message",
      description:
        "Open the direct messages with a user, or a group message with up to eight.\nReturns channel_id for send_message. Nothing is sent.",
      input: openDmFields,
      destructive: true,
      idempotent: true,
      examples: [{ params: { users: "U0LAN0Z89" } }],
      run: (ctx) => openDm(ctx, ctx.params),
    },
    open_modal: {
      name: "Open modal",
      description:
        "Show a form to the user who used a command, a button or a shortcut.\nThe trigger_id of that event works once, for three seconds. Submitting it is the event view_submission with its callback_id. push opens it on another modal.",
      input: openModalFields,
      output: viewSchema,
      destructive: true,
      examples: [
        {
          params: {
            trigger_id: "13345224609.738474920.8088930838d88f008e0",
            view: modalExample,
          },
        },
      ],
      run: (ctx) => openModal(ctx, ctx.params),
    },
    update_modal: {
      name: "Change modal",
      description:
        "Replace what an open modal shows.\nview_id is that of the event, or what open_modal returned. With hash it is refused if the modal has changed since.",
      input: updateModalFields,
      output: viewSchema,
      destructive: true,
      idempotent: true,
      examples: [{ params: { view_id: "VNHU13V36", view: modalExample } }],
      run: (ctx) => updateModal(ctx, ctx.params),
    },
    publish_home: {
      name: "Publish home page",
      description:
        "Replace the home page of the app that one user sees.\nSend the complete page. The event app_home_opened says when a user opens it.",
      input: publishHomeFields,
      output: viewSchema,
      destructive: true,
      idempotent: true,
      examples: [
        {
          params: {
            user: "U0LAN0Z89",
            view: {
              type: "home",
              blocks: [{ type: "section", text: { type: "mrkdwn", text: "*Open tickets*: 3" } }],
            },
          },
        },
      ],
      run: (ctx) => publishHome(ctx, ctx.params),
    },
    respond: {
      name: "Answer an interaction",
      description:
        "Answer a command, a button or a shortcut at the response_url of its event, also where the bot is no member.\nOnly the user sees it, unless visibility is in_channel. replace_original changes the message whose button was used. It works five times within 30 minutes.",
      input: respondFields,
      destructive: true,
      examples: [
        {
          params: {
            response_url: "https://hooks.slack.com/commands/T0MJRM1A7/1/abc",
            text: "The deploy of web has begun.",
          },
        },
      ],
      run: (ctx) => respond(ctx, ctx.params),
    },
  },
  health: ({ config, fetch }) => {
    const settings = readSlackConfig(config);
    return checkHealth(createSlackApi({ settings, fetch }), settings);
  },
  lookup({ config, fetch, signal, source, query }) {
    const settings = readSlackConfig(config);
    const api = createSlackApi({ settings, fetch });
    return lookUp({ api, settings, signal }, { source, query });
  },
});
