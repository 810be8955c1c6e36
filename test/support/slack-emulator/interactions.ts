import { modalView } from "./block-kit.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { storeMessage, toMessageObject } from "./messages.ts";
import { readContent } from "./methods/chat.ts";
import { addView, readView, toViewObject } from "./methods/views.ts";
import type { People } from "./people.ts";
import type { ResponseUrls } from "./response-urls.ts";
import { SlackError } from "./slack-error.ts";
import type {
  JsonObject,
  SlackChannel,
  SlackMessage,
  SlackUser,
  SlackView,
  Workspace,
} from "./workspace.ts";

/** What people do with what the app shows. Each returns what Slack sends. */
export type Interactions = {
  command(use: {
    channel: SlackChannel;
    user: SlackUser;
    command: string;
    text?: string;
  }): Delivery;
  /** Uses an element of a message or a view, such as a button, or picks `option` of a menu. */
  act(use: {
    on: SlackMessage | SlackView;
    user: SlackUser;
    actionId: string;
    /** The members that the element adds to the action, such as `selected_option`. */
    picked?: JsonObject;
  }): Delivery;
  /** `values` by block id, then action id, as in `view.state.values`. */
  submit(view: SlackView, values?: JsonObject): Delivery;
  /** Null if the view does not have `notify_on_close`. */
  close(view: SlackView, options?: { isCleared?: boolean }): Delivery | null;
  shortcut(use: { user: SlackUser; callbackId: string }): Delivery;
  messageShortcut(use: { message: SlackMessage; user: SlackUser; callbackId: string }): Delivery;
};

export function createInteractions(
  slack: Workspace,
  deliveries: Deliveries,
  people: People,
  responseUrls: ResponseUrls,
): Interactions {
  const common = (user: SlackUser) => ({
    user: { id: user.id, username: user.name, name: user.name, team_id: slack.teamId },
    api_app_id: slack.appId,
    token: slack.verificationToken,
    team: { id: slack.teamId, domain: slack.teamDomain },
    enterprise: null,
    is_enterprise_install: false,
  });
  const answerFault = (what: string) => void slack.faults.push(`Answer of the app: ${what}`);

  return {
    command({ channel, user, command, text = "" }) {
      const payload = {
        token: slack.verificationToken,
        team_id: slack.teamId,
        team_domain: slack.teamDomain,
        channel_id: channel.id,
        channel_name: channel.kind === "group" ? "privategroup" : channel.name,
        user_id: user.id,
        user_name: user.name,
        command,
        text,
        api_app_id: slack.appId,
        is_enterprise_install: "false",
        response_url: responseUrls.create("commands", channel, null),
        trigger_id: slack.newTrigger(user.id),
      };
      const delivery = deliveries.deliver("slash_commands", payload, { acceptsResponse: true });
      void delivery.outcome.then((outcome) => {
        if (outcome.state !== "acknowledged" || outcome.answer === null) return;
        showAnswer(slack, people, channel, outcome.answer, answerFault);
      });
      return delivery;
    },

    act({ on, user, actionId, picked = {} }) {
      const isMessage = "ts" in on;
      const found = findElement(slack, on, actionId);
      const action = {
        action_id: actionId,
        block_id: found.blockId,
        ...(found.element.text !== undefined && { text: found.element.text }),
        ...(found.element.value !== undefined && { value: found.element.value }),
        type: found.element.type,
        ...picked,
        action_ts: slack.newTs(),
      };
      const source = isMessage ? toMessageSource(slack, on) : toViewSource(slack, on);
      const trigger = slack.newTrigger(user.id, isMessage ? null : on.id);
      return deliveries.deliver("interactive", {
        type: "block_actions",
        ...common(user),
        ...source,
        trigger_id: trigger,
        ...(isMessage && {
          response_url: responseUrls.create("actions", on.channel, on),
          state: { values: {} },
        }),
        actions: [action],
      });
    },

    submit(view, values = {}) {
      const user = slack.userOf(view.userId);
      const payload = {
        type: "view_submission",
        ...common(user),
        trigger_id: slack.newTrigger(view.userId, view.id),
        view: toViewObject(slack, view, values),
        response_urls: [],
      };
      const delivery = deliveries.deliver("interactive", payload, { acceptsResponse: true });
      void delivery.outcome.then((outcome) => {
        if (outcome.state === "acknowledged") applyAnswer(slack, view, outcome.answer, answerFault);
      });
      return delivery;
    },

    close(view, { isCleared = false } = {}) {
      view.isOpen = false;
      if (view.source.notify_on_close !== true) return null;
      return deliveries.deliver("interactive", {
        type: "view_closed",
        ...common(slack.userOf(view.userId)),
        view: toViewObject(slack, view),
        is_cleared: isCleared,
      });
    },

    shortcut({ user, callbackId }) {
      return deliveries.deliver("interactive", {
        type: "shortcut",
        token: slack.verificationToken,
        action_ts: slack.newTs(),
        team: { id: slack.teamId, domain: slack.teamDomain },
        user: { id: user.id, username: user.name, team_id: slack.teamId },
        is_enterprise_install: false,
        enterprise: null,
        callback_id: callbackId,
        trigger_id: slack.newTrigger(user.id),
      });
    },

    messageShortcut({ message, user, callbackId }) {
      const { channel } = message;
      const { api_app_id: _appId, ...base } = common(user);
      return deliveries.deliver("interactive", {
        type: "message_action",
        ...base,
        action_ts: slack.newTs(),
        channel: { id: channel.id, name: shownName(channel) },
        callback_id: callbackId,
        trigger_id: slack.newTrigger(user.id),
        response_url: responseUrls.create("actions", channel, message),
        message_ts: message.ts,
        message: toMessageObject(slack, message),
      });
    },
  };
}

const shownName = (channel: SlackChannel) =>
  ({ channel: channel.name, group: "privategroup", im: "directmessage", mpim: channel.name })[
    channel.kind
  ];

function toMessageSource(slack: Workspace, message: SlackMessage): JsonObject {
  const { channel } = message;
  return {
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: message.isEphemeral,
      ...(message.threadTs && { thread_ts: message.threadTs }),
    },
    channel: { id: channel.id, name: shownName(channel) },
    ...(!message.isEphemeral && { message: toMessageObject(slack, message) }),
  };
}

function toViewSource(slack: Workspace, view: SlackView): JsonObject {
  return { container: { type: "view", view_id: view.id }, view: toViewObject(slack, view) };
}

/** The element that was shown with this action id. Throws if it was not shown, because then it cannot be clicked. */
function findElement(slack: Workspace, on: SlackMessage | SlackView, actionId: string) {
  const shown = "ts" in on ? on.blocks : toViewObject(slack, on).blocks;
  for (const block of Array.isArray(shown) ? shown : []) {
    for (const element of [...(block.elements ?? []), block.accessory, block.element]) {
      if (element?.action_id === actionId) return { blockId: block.block_id, element };
    }
  }
  throw new Error(`No element with the action id ${actionId} is shown.`);
}

/** What a command's acknowledgement shows. */
function showAnswer(
  slack: Workspace,
  people: People,
  channel: SlackChannel,
  answer: unknown,
  fault: (what: string) => void,
): void {
  const { response_type, ...content } = Object.fromEntries(Object.entries(answer ?? {}));
  try {
    const shown = readContent(content, 40_000);
    const isEphemeral = response_type !== "in_channel";
    const sender = { user: slack.bot.id, bot: slack.identity };
    const message = storeMessage(slack, channel, { ...shown, ...sender, isEphemeral });
    if (!isEphemeral) people.announce(message);
  } catch (cause) {
    fault(cause instanceof SlackError ? cause.code : String(cause));
  }
}

/** A submitted view closes, unless the app answers with an action. */
function applyAnswer(
  slack: Workspace,
  view: SlackView,
  answer: unknown,
  fault: (what: string) => void,
): void {
  const { response_action: action, ...rest } = Object.fromEntries(Object.entries(answer ?? {}));
  try {
    switch (action) {
      case undefined:
        view.isOpen = false;
        return;
      case "clear":
        for (const other of slack.views.values()) {
          if (other.rootViewId === view.rootViewId) other.isOpen = false;
        }
        return;
      case "update":
        view.source = readView(rest.view, modalView);
        return;
      case "push":
        addView(slack, readView(rest.view, modalView), view.userId, view);
        return;
      case "errors": {
        const shown = toViewObject(slack, view).blocks;
        const known = new Set(Array.isArray(shown) ? shown.map(({ block_id }) => block_id) : []);
        const unknown = Object.keys(rest.errors ?? {}).filter((id) => !known.has(id));
        if (unknown.length > 0) fault(`errors for blocks that the view does not have: ${unknown}`);
        return;
      }
      default:
        fault(`the response_action ${action} is unknown.`);
    }
  } catch (cause) {
    fault(
      cause instanceof SlackError ? `${cause.code} ${JSON.stringify(cause.extra)}` : `${cause}`,
    );
  }
}
