import type { z } from "zod";
import { messageBlocks, toBlockMessages } from "../block-kit.ts";
import { storeMessage, toMessageObject } from "../messages.ts";
import { SlackError, toDetailedError } from "../slack-error.ts";
import type { SlackChannel, SlackMessage, Workspace } from "../workspace.ts";
import { defineMethod, flag, json, type Method, text, timestamp } from "./define-method.ts";

const textMax = 40_000;
const updatedTextMax = 4_000;
const attachmentsMax = 100;

const content = {
  text: text.optional(),
  blocks: json.optional(),
  attachments: json.optional(),
  markdown_text: text.optional(),
  metadata: json.optional(),
  parse: text.optional(),
  link_names: flag.optional(),
};
const sender = {
  username: text.optional(),
  icon_emoji: text.optional(),
  icon_url: text.optional(),
};

export const chatMethods: Record<string, Method> = {
  "chat.postMessage": defineMethod({
    scopes: ["chat:write"],
    args: {
      channel: text,
      ...content,
      ...sender,
      mrkdwn: flag.optional(),
      thread_ts: timestamp.optional(),
      reply_broadcast: flag.optional(),
      unfurl_links: flag.optional(),
      unfurl_media: flag.optional(),
    },
    run({ slack, people }, args) {
      const channel = findTarget(slack, args.channel);
      const body = readContent(args, textMax);
      const parent = args.thread_ts ? findParent(channel, args.thread_ts) : null;
      if (args.reply_broadcast && !parent) {
        throw toDetailedError("invalid_arguments", ["[ERROR] reply_broadcast needs thread_ts"]);
      }
      const isNamed = args.username !== undefined;
      if (isNamed || args.icon_emoji !== undefined || args.icon_url !== undefined) {
        slack.needScope("chat:write.customize");
      }
      const message = storeMessage(slack, channel, {
        ...body,
        user: isNamed ? null : slack.bot.id,
        username: args.username ?? null,
        bot: slack.identity,
        subtype: isNamed ? "bot_message" : args.reply_broadcast ? "thread_broadcast" : null,
        threadTs: parent?.ts ?? null,
      });
      people.announce(message);
      const posted = toMessageObject(slack, message);
      return { channel: channel.id, ts: message.ts, message: posted };
    },
  }),

  "chat.update": defineMethod({
    scopes: ["chat:write"],
    args: {
      channel: text,
      ts: timestamp,
      ...content,
      reply_broadcast: flag.optional(),
      file_ids: json.optional(),
    },
    run({ slack, people }, args) {
      const channel = slack.visibleChannel(args.channel);
      const message = slack.findMessage(channel, args.ts);
      if (!slack.isOwn(message)) throw new SlackError("cant_update_message");
      const body = readContent(args, updatedTextMax);
      people.change(message, slack.bot, {
        text: body.text,
        attachments: body.attachments,
        metadata: body.metadata,
        // "If you don't include this field, the message's previous blocks will be retained."
        ...(args.blocks !== undefined && { blocks: body.blocks }),
      });
      const changed = toMessageObject(slack, message);
      return { channel: channel.id, ts: message.ts, text: message.text, message: changed };
    },
  }),

  "chat.postEphemeral": defineMethod({
    scopes: ["chat:write"],
    args: { channel: text, user: text, ...content, ...sender, thread_ts: timestamp.optional() },
    run({ slack }, args) {
      const channel = slack.writableChannel(args.channel);
      if (!channel.members.has(args.user)) throw new SlackError("user_not_in_channel");
      const body = readContent(args, textMax);
      const message = storeMessage(slack, channel, {
        ...body,
        user: slack.bot.id,
        bot: slack.identity,
        isEphemeral: true,
      });
      return { message_ts: message.ts };
    },
  }),

  "chat.delete": defineMethod({
    scopes: ["chat:write"],
    args: { channel: text, ts: timestamp },
    run({ slack, people }, args) {
      const channel = slack.visibleChannel(args.channel);
      const message = slack.findMessage(channel, args.ts);
      if (!slack.isOwn(message)) throw new SlackError("cant_delete_message");
      people.remove(message);
      return { channel: channel.id, ts: args.ts };
    },
  }),
};

/** A channel, or a user, whose direct messages are meant. */
function findTarget(slack: Workspace, id: string): SlackChannel {
  const user = slack.users.get(id);
  if (!user) return slack.writableChannel(id);
  if (user.deleted) throw new SlackError("channel_not_found");
  return slack.openDirectMessage([user]);
}

function findParent(channel: SlackChannel, ts: string): SlackMessage {
  const parent = channel.messages.find((message) => message.ts === ts);
  if (!parent) throw new SlackError("thread_not_found");
  // The timestamp of a reply stands for no thread: Slack wants the one of the parent.
  if (parent.threadTs && parent.threadTs !== parent.ts) {
    throw new SlackError("cannot_reply_to_message");
  }
  parent.threadTs = parent.ts;
  return parent;
}

type Content = {
  text?: string | undefined;
  blocks?: unknown;
  attachments?: unknown;
  markdown_text?: string | undefined;
  metadata?: unknown;
};

/** Checks what is to be shown. Shared with posts to a response URL. */
export function readContent(args: Content, max: number) {
  const blocks = readBlocks(args.blocks);
  const attachments = readAttachments(args.attachments);
  if (args.markdown_text !== undefined) {
    if (args.text !== undefined || blocks) throw new SlackError("markdown_text_conflict");
    if (args.markdown_text.length > 12_000) throw new SlackError("msg_too_long");
  }
  const text = args.text ?? args.markdown_text ?? "";
  if (text.trim() === "" && !blocks?.length && !attachments?.length) {
    throw new SlackError("no_text");
  }
  if ([...text].length > max) throw new SlackError("msg_too_long");
  return { text, blocks, attachments, metadata: readMetadata(args.metadata) };
}

function readBlocks(blocks: unknown): readonly unknown[] | null {
  if (blocks === undefined) return null;
  if (!Array.isArray(blocks)) throw new SlackError("invalid_blocks_format");
  const parsed: z.ZodSafeParseResult<unknown> = messageBlocks.safeParse(blocks);
  // Slack names the blocks that the app did not name.
  if (parsed.success) return blocks.map((block, index) => ({ block_id: `b${index}`, ...block }));
  const messages = toBlockMessages(parsed.error, "/blocks");
  throw new SlackError("invalid_blocks", { errors: messages, response_metadata: { messages } });
}

function readAttachments(attachments: unknown): readonly unknown[] | null {
  if (attachments === undefined) return null;
  if (!Array.isArray(attachments)) throw new SlackError("invalid_attachments");
  if (attachments.length > attachmentsMax) throw new SlackError("too_many_attachments");
  return attachments;
}

function readMetadata(metadata: unknown): unknown {
  if (metadata === undefined) return null;
  const isObject = typeof metadata === "object" && metadata !== null;
  if (!isObject || !("event_type" in metadata) || !("event_payload" in metadata)) {
    throw new SlackError("invalid_metadata_format");
  }
  return metadata;
}
