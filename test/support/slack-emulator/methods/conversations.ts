import { toChannelObject } from "../messages.ts";
import { SlackError } from "../slack-error.ts";
import type { ChannelKind } from "../workspace.ts";
import {
  defineMethod,
  flag,
  integer,
  list,
  type Method,
  readLimit,
  text,
  toPage,
} from "./define-method.ts";

const kinds: Record<string, ChannelKind> = {
  public_channel: "channel",
  private_channel: "group",
  im: "im",
  mpim: "mpim",
};
const readScopes: Record<ChannelKind, string> = {
  channel: "channels:read",
  group: "groups:read",
  im: "im:read",
  mpim: "mpim:read",
};

export const conversationMethods: Record<string, Method> = {
  "conversations.open": defineMethod({
    args: {
      channel: text.optional(),
      users: list.optional(),
      return_im: flag.optional(),
      prevent_creation: flag.optional(),
    },
    run({ slack }, args) {
      if (args.channel !== undefined) {
        const channel = slack.visibleChannel(args.channel);
        if (channel.kind !== "im" && channel.kind !== "mpim") {
          throw new SlackError("method_not_supported_for_channel_type");
        }
        return { no_op: true, already_open: true, channel: { id: channel.id } };
      }
      const ids = args.users?.filter((id) => id !== "") ?? [];
      if (ids.length === 0) throw new SlackError("users_list_not_supplied");
      if (ids.length > 8) throw new SlackError("too_many_users");
      slack.needScope(ids.length === 1 ? "im:write" : "mpim:write");
      const users = ids.map((id) => {
        const user = slack.users.get(id);
        if (!user) throw new SlackError("user_not_found");
        if (user.deleted) throw new SlackError("user_disabled");
        if (user === slack.bot) throw new SlackError("invalid_user_combination");
        return user;
      });
      const found = slack.findDirectMessage(ids);
      const channel = found ?? slack.openDirectMessage(users);
      const shown = args.return_im ? toChannelObject(slack, channel) : { id: channel.id };
      return { ...(found && { no_op: true, already_open: true }), channel: shown };
    },
  }),

  "conversations.list": defineMethod({
    takesJson: false,
    args: {
      cursor: text.optional(),
      exclude_archived: flag.optional(),
      limit: integer.optional(),
      types: list.optional(),
      team_id: text.optional(),
    },
    run({ slack }, args) {
      const types = args.types ?? ["public_channel"];
      const wanted = types.map((type) => {
        const kind = kinds[type];
        if (!kind) throw new SlackError("invalid_types");
        slack.needScope(readScopes[kind]);
        return kind;
      });
      const visible = [...slack.channels.values()].filter(
        (channel) =>
          wanted.includes(channel.kind) &&
          (channel.kind === "channel" || channel.members.has(slack.bot.id)),
      );
      // Archived ones are left out of a page after it was cut, so a page may be shorter.
      const page = toPage(visible, readLimit(args.limit, 1_000), args.cursor);
      const shown = page.items.filter((channel) => !(args.exclude_archived && channel.isArchived));
      const channels = shown.map((channel) => toChannelObject(slack, channel));
      return { channels, response_metadata: page.metadata };
    },
  }),

  "conversations.info": defineMethod({
    takesJson: false,
    args: { channel: text, include_locale: flag.optional(), include_num_members: flag.optional() },
    run({ slack }, args) {
      const channel = slack.visibleChannel(args.channel);
      slack.needScope(readScopes[channel.kind]);
      return { channel: toChannelObject(slack, channel) };
    },
  }),
};
