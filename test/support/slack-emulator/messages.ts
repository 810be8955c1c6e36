import type { GenericMessageEvent } from "@slack/web-api";
import type {
  JsonObject,
  SlackBot,
  SlackChannel,
  SlackMessage,
  SlackUser,
  Workspace,
} from "./workspace.ts";

type NewMessage = Partial<SlackMessage> & { text: string };

/** Stores a message. Events are the caller's. */
export function storeMessage(
  slack: Workspace,
  channel: SlackChannel,
  message: NewMessage,
): SlackMessage {
  const stored: SlackMessage = {
    ts: slack.newTs(),
    channel,
    user: null,
    bot: null,
    username: null,
    subtype: null,
    blocks: null,
    attachments: null,
    metadata: null,
    files: null,
    threadTs: null,
    edited: null,
    clientMsgId: null,
    reactions: new Map(),
    isEphemeral: false,
    ...message,
  };
  (stored.isEphemeral ? slack.ephemeral : channel.messages).push(stored);
  return stored;
}

/** The blocks that Slack's own client sends with what a person types. */
export function toTypedBlocks(slack: Workspace, text: string): JsonObject[] {
  const section = { type: "rich_text_section", elements: [{ type: "text", text }] };
  return [{ type: "rich_text", block_id: slack.newId("b"), elements: [section] }];
}

/** The `message` object of answers, and of events about changed messages. */
export function toMessageObject(slack: Workspace, message: SlackMessage): JsonObject {
  const parent = message.threadTs
    ? message.channel.messages.find(({ ts }) => ts === message.threadTs)
    : null;
  const { bot } = message;
  const reactions = [...message.reactions].map(([name, users]) => ({
    name,
    count: users.size,
    users: [...users],
  }));
  return {
    type: "message",
    ...(message.subtype && { subtype: message.subtype }),
    ...(message.user && { user: message.user }),
    ...(message.username && { username: message.username }),
    ...(message.clientMsgId && { client_msg_id: message.clientMsgId }),
    text: message.text,
    ts: message.ts,
    ...(message.subtype !== "bot_message" && { team: slack.teamId }),
    ...(bot && { bot_id: bot.id, app_id: bot.appId }),
    ...(bot && message.subtype !== "bot_message" && { bot_profile: toBotProfile(slack, bot) }),
    ...(message.blocks && { blocks: message.blocks }),
    ...(message.attachments && { attachments: message.attachments }),
    ...(message.files && { files: message.files, upload: false, display_as_bot: false }),
    ...(message.threadTs && { thread_ts: message.threadTs }),
    ...(parent?.user && parent !== message && { parent_user_id: parent.user }),
    ...(message.subtype === "thread_broadcast" && parent && { root: toRoot(slack, parent) }),
    ...(message.edited && { edited: message.edited }),
    ...(reactions.length > 0 && { reactions }),
  };
}

function toRoot(slack: Workspace, parent: SlackMessage): JsonObject {
  const replies = parent.channel.messages.filter(
    ({ ts, threadTs }) => threadTs === parent.ts && ts !== parent.ts,
  );
  const users = [...new Set(replies.flatMap(({ user }) => user ?? []))];
  return {
    ...toMessageObject(slack, parent),
    thread_ts: parent.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    latest_reply: replies.at(-1)?.ts ?? parent.ts,
    reply_users: users,
    is_locked: false,
  };
}

function toBotProfile(slack: Workspace, bot: SlackBot): GenericMessageEvent["bot_profile"] {
  const image = "https://a.slack-edge.com/emulated.png";
  return {
    id: bot.id,
    app_id: bot.appId,
    name: bot.name,
    icons: { image_36: image, image_48: image, image_72: image },
    deleted: false,
    updated: 1_700_000_000,
    team_id: slack.teamId,
  };
}

export function toChannelObject(slack: Workspace, channel: SlackChannel): JsonObject {
  const isDirect = channel.kind === "im";
  const other = [...channel.members].find((id) => id !== slack.bot.id);
  const common = {
    id: channel.id,
    created: 1_700_000_000,
    is_archived: channel.isArchived,
    is_im: isDirect,
    is_org_shared: false,
  };
  if (isDirect) return { ...common, user: other, is_user_deleted: false, priority: 0 };
  const about = { value: "", creator: "", last_set: 0 };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === "channel",
    is_group: channel.kind === "group",
    is_mpim: channel.kind === "mpim",
    is_private: channel.kind !== "channel",
    is_general: false,
    is_shared: false,
    is_ext_shared: false,
    is_member: channel.members.has(slack.bot.id),
    creator: other ?? slack.bot.id,
    unlinked: 0,
    pending_shared: [],
    previous_names: [],
    topic: about,
    purpose: about,
    num_members: channel.members.size,
  };
}

export function toUserObject(slack: Workspace, user: SlackUser): JsonObject {
  return {
    id: user.id,
    team_id: slack.teamId,
    name: user.name,
    deleted: user.deleted,
    real_name: user.realName,
    tz: "Europe/London",
    tz_label: "Greenwich Mean Time",
    tz_offset: 0,
    profile: {
      real_name: user.realName,
      real_name_normalized: user.realName,
      display_name: user.name,
      display_name_normalized: user.name,
      status_text: "",
      status_emoji: "",
      team: slack.teamId,
      ...(user.isBot && { api_app_id: slack.appId, bot_id: slack.botId }),
    },
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: user.isBot,
    is_app_user: false,
    updated: 1_700_000_000,
  };
}
