import type { AppHomeOpenedEvent, MessageChangedEvent, MessageDeletedEvent } from "@slack/web-api";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { storeMessage, toMessageObject, toTypedBlocks } from "./messages.ts";
import { toViewObject } from "./methods/views.ts";
import type {
  JsonObject,
  SlackBot,
  SlackChannel,
  SlackMessage,
  SlackUser,
  Workspace,
} from "./workspace.ts";

type Posted = { message: SlackMessage; deliveries: Delivery[] };

/** What happens in the workspace, and the events that Slack sends of it. */
export type People = {
  /** A person posts. The text may mention the bot: `<@U…>`. */
  post(post: {
    channel: SlackChannel;
    user: SlackUser;
    text: string;
    thread?: SlackMessage;
    isBroadcast?: boolean;
    /** Names of files that are shared with the message. */
    files?: readonly string[];
  }): Posted;
  /** Another app posts. A legacy one has no user, and the subtype `bot_message`. */
  postAsApp(post: { channel: SlackChannel; text: string; isLegacy?: boolean }): Posted;
  edit(message: SlackMessage, text: string): Delivery[];
  remove(message: SlackMessage): Delivery[];
  openHome(user: SlackUser, tab?: "home" | "messages"): Delivery[];
  /** Changes a message, and sends the event of it. */
  change(message: SlackMessage, by: SlackUser, fields: Partial<SlackMessage>): Delivery[];
  /** Sends the events of a stored message. */
  announce(message: SlackMessage): Delivery[];
};

const subscriptions = {
  channel: "message.channels",
  group: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
};

export function createPeople(slack: Workspace, deliveries: Deliveries): People {
  const otherApp: SlackBot = { id: "B0OTHERAPP1", appId: "A0OTHERAPP1", name: "otherbot" };

  /** Nothing, unless the app subscribes to the event and its bot is a member. */
  const sendEvent = (
    subscription: string,
    channel: SlackChannel | null,
    event: JsonObject,
  ): Delivery[] => {
    const isMember = !channel || channel.members.has(slack.bot.id);
    if (!isMember || !slack.subscriptions.has(subscription)) return [];
    return [deliveries.deliver("events_api", toEventCallback(slack, event))];
  };
  const sendMessageEvent = (channel: SlackChannel, event: JsonObject): Delivery[] =>
    sendEvent(subscriptions[channel.kind], channel, {
      ...event,
      channel: channel.id,
      channel_type: channel.kind,
    });

  const people: People = {
    announce(message) {
      const object = toMessageObject(slack, message);
      const sent = sendMessageEvent(message.channel, { ...object, event_ts: message.ts });
      const isMention = message.text.includes(`<@${slack.bot.id}>`) && !slack.isOwn(message);
      // Slack sends no app_mention in a direct message with the bot.
      if (!isMention || message.channel.kind === "im") return sent;
      const { subtype: _subtype, ...mention } = object;
      const event = { ...mention, type: "app_mention", channel: message.channel.id };
      return [
        ...sent,
        ...sendEvent("app_mention", message.channel, { ...event, event_ts: message.ts }),
      ];
    },

    post({ channel, user, text, thread, isBroadcast = false, files }) {
      if (thread) thread.threadTs = thread.ts;
      const message = storeMessage(slack, channel, {
        user: user.id,
        text,
        blocks: toTypedBlocks(slack, text),
        clientMsgId: crypto.randomUUID(),
        threadTs: thread?.ts ?? null,
        subtype: files ? "file_share" : isBroadcast ? "thread_broadcast" : null,
        files: files?.map((name) => toFileObject(slack, user, name)) ?? null,
      });
      return { message, deliveries: people.announce(message) };
    },

    postAsApp({ channel, text, isLegacy = false }) {
      const user = isLegacy ? null : slack.addUser(otherApp.name, { isBot: true }).id;
      const message = storeMessage(slack, channel, {
        text,
        user,
        bot: otherApp,
        username: isLegacy ? otherApp.name : null,
        subtype: isLegacy ? "bot_message" : null,
      });
      return { message, deliveries: people.announce(message) };
    },

    change(message, by, fields) {
      const previous = toMessageObject(slack, message);
      Object.assign(message, fields, { edited: { user: by.id, ts: slack.newTs() } });
      const ts = slack.newTs();
      const event: Event<MessageChangedEvent> = {
        type: "message",
        subtype: "message_changed",
        hidden: true,
        ts,
        event_ts: ts,
        message: toMessageObject(slack, message),
        previous_message: previous,
      };
      return sendMessageEvent(message.channel, event);
    },

    edit(message, text) {
      const by = slack.userOf(message.user ?? slack.bot.id);
      return people.change(message, by, { text, blocks: toTypedBlocks(slack, text) });
    },

    remove(message) {
      const { channel } = message;
      const previous = toMessageObject(slack, message);
      channel.messages.splice(channel.messages.indexOf(message), 1);
      const ts = slack.newTs();
      const event: Event<MessageDeletedEvent> = {
        type: "message",
        subtype: "message_deleted",
        hidden: true,
        ts,
        event_ts: ts,
        deleted_ts: message.ts,
        previous_message: previous,
      };
      return sendMessageEvent(channel, event);
    },

    openHome(user, tab = "home") {
      const channel = slack.openDirectMessage([user]);
      const view = slack.homes.get(user.id);
      const event: Omit<AppHomeOpenedEvent, "view"> & { view?: JsonObject } = {
        type: "app_home_opened",
        user: user.id,
        channel: channel.id,
        tab,
        event_ts: slack.newTs(),
        ...(view && tab === "home" && { view: toViewObject(slack, view) }),
      };
      return sendEvent("app_home_opened", null, event);
    },
  };
  return people;
}

/** The published event, whose messages the emulator builds itself, and without what is added later. */
type Event<E> = Omit<E, "channel" | "channel_type" | "message" | "previous_message"> & JsonObject;

function toEventCallback(slack: Workspace, event: JsonObject): JsonObject {
  return {
    token: slack.verificationToken,
    team_id: slack.teamId,
    context_team_id: slack.teamId,
    context_enterprise_id: null,
    api_app_id: slack.appId,
    event,
    type: "event_callback",
    event_id: slack.newId("Ev"),
    event_time: Math.floor(slack.clock.now() / 1_000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: slack.teamId,
        user_id: slack.bot.id,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${slack.newId("context")}`,
  };
}

function toFileObject(slack: Workspace, user: SlackUser, name: string): JsonObject {
  const id = slack.newId("F");
  const address = `https://files.slack.com/files-pri/${slack.teamId}-${id}`;
  return {
    id,
    created: Math.floor(slack.clock.now() / 1_000),
    name,
    title: name,
    user: user.id,
    mimetype: "text/plain",
    filetype: "text",
    pretty_type: "Plain Text",
    editable: true,
    size: 12,
    mode: "snippet",
    is_external: false,
    external_type: "",
    is_public: true,
    public_url_shared: false,
    display_as_bot: false,
    username: "",
    url_private: `${address}/${name}`,
    url_private_download: `${address}/download/${name}`,
    permalink: `https://${slack.teamDomain}.slack.com/files/${user.id}/${id}/${name}`,
  };
}
