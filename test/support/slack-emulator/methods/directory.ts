import { toUserObject } from "../messages.ts";
import { SlackError } from "../slack-error.ts";
import {
  defineMethod,
  flag,
  integer,
  type Method,
  readLimit,
  text,
  timestamp,
  toPage,
} from "./define-method.ts";

/** The workspace itself: who the token belongs to, users, groups, reactions. */
export const directoryMethods: Record<string, Method> = {
  "auth.test": defineMethod({
    tokenKind: "any",
    args: {},
    run: ({ slack }) => ({
      url: `https://${slack.teamDomain}.slack.com/`,
      team: "Emulated",
      user: slack.bot.name,
      team_id: slack.teamId,
      user_id: slack.bot.id,
      bot_id: slack.botId,
      is_enterprise_install: false,
    }),
  }),

  "apps.connections.open": defineMethod({
    tokenKind: "app",
    scopes: ["connections:write"],
    args: {},
    run({ socketMode, origin }) {
      if (!socketMode.isEnabled()) throw new SlackError("forbidden_team");
      return { url: socketMode.newUrl(origin) };
    },
  }),

  "users.list": defineMethod({
    takesJson: false,
    scopes: ["users:read"],
    args: {
      cursor: text.optional(),
      limit: integer.optional(),
      include_locale: flag.optional(),
      team_id: text.optional(),
    },
    run({ slack }, args) {
      const page = toPage([...slack.users.values()], readLimit(args.limit, 1_000), args.cursor);
      const members = page.items.map((user) => toUserObject(slack, user));
      const cacheTs = Math.floor(slack.clock.now() / 1_000);
      return { members, cache_ts: cacheTs, response_metadata: page.metadata };
    },
  }),

  "users.info": defineMethod({
    takesJson: false,
    scopes: ["users:read"],
    args: { user: text, include_locale: flag.optional() },
    run({ slack }, args) {
      const user = slack.users.get(args.user);
      if (!user) throw new SlackError("user_not_found");
      return { user: toUserObject(slack, user) };
    },
  }),

  "usergroups.list": defineMethod({
    takesJson: false,
    scopes: ["usergroups:read"],
    args: {
      include_count: flag.optional(),
      include_disabled: flag.optional(),
      include_users: flag.optional(),
      team_id: text.optional(),
    },
    run({ slack }, args) {
      const usergroups = slack.userGroups.map((group) => ({
        id: group.id,
        team_id: slack.teamId,
        is_usergroup: true,
        is_external: false,
        name: group.name,
        description: "",
        handle: group.handle,
        auto_type: null,
        date_create: 1_700_000_000,
        date_update: 1_700_000_000,
        date_delete: 0,
        created_by: slack.bot.id,
        updated_by: slack.bot.id,
        deleted_by: null,
        prefs: { channels: [], groups: [] },
        ...(args.include_users && { users: group.members }),
        ...(args.include_count && { user_count: group.members.length }),
      }));
      return { usergroups };
    },
  }),

  "reactions.add": defineMethod({
    scopes: ["reactions:write"],
    args: { channel: text, name: text, timestamp },
    run({ slack }, args) {
      const channel = slack.writableChannel(args.channel);
      const message = slack.findMessage(channel, args.timestamp);
      if (!slack.emoji.has(args.name)) throw new SlackError("invalid_name");
      const users = message.reactions.get(args.name) ?? new Set<string>();
      if (users.has(slack.bot.id)) throw new SlackError("already_reacted");
      if (message.reactions.size >= 23 && users.size === 0) throw new SlackError("too_many_emoji");
      message.reactions.set(args.name, users.add(slack.bot.id));
      return {};
    },
  }),
};
