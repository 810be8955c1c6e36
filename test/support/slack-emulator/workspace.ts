import { randomBytes } from "node:crypto";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { SlackError } from "./slack-error.ts";

export type JsonObject = Record<string, unknown>;

export type SlackUser = {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
  deleted: boolean;
};

/** The prefix of the event that the app subscribes to: `message.channels`, `message.groups`, … */
export type ChannelKind = "channel" | "group" | "im" | "mpim";

export type SlackChannel = {
  id: string;
  name: string;
  kind: ChannelKind;
  members: Set<string>;
  isArchived: boolean;
  messages: SlackMessage[];
};

export type SlackBot = { id: string; appId: string; name: string };

export type SlackMessage = {
  ts: string;
  channel: SlackChannel;
  /** Null for a message under another name, which has the subtype `bot_message`. */
  user: string | null;
  /** The app that posted it. Null for what a person posts. */
  bot: SlackBot | null;
  username: string | null;
  subtype: "bot_message" | "thread_broadcast" | "file_share" | null;
  text: string;
  blocks: readonly unknown[] | null;
  attachments: readonly unknown[] | null;
  metadata: unknown;
  files: readonly JsonObject[] | null;
  threadTs: string | null;
  edited: { user: string; ts: string } | null;
  clientMsgId: string | null;
  reactions: Map<string, Set<string>>;
  /** Only one user sees it, and it cannot be updated with chat.update. */
  isEphemeral: boolean;
};

export type SlackView = {
  id: string;
  hash: string;
  userId: string;
  rootViewId: string;
  previousViewId: string | null;
  isOpen: boolean;
  /** As the app sent it. */
  source: JsonObject;
};

export type Trigger = {
  expiresAt: number;
  isUsed: boolean;
  userId: string;
  /** The modal in which the trigger was made. Only such a trigger can push a view. */
  viewId: string | null;
};

export type UserGroup = { id: string; handle: string; name: string; members: string[] };

/** What Slack stores about one workspace with one installed app. */
export class Workspace {
  readonly clock: FakeClock = createFakeClock();
  /** What the app did against the published reference. A test asserts that it is empty. */
  readonly faults: string[] = [];
  /** What only one user saw. */
  readonly ephemeral: SlackMessage[] = [];
  readonly appId = "A0EMULATED1";
  readonly botId = "B0EMULATED1";
  readonly teamId = "T0EMULATED1";
  readonly teamDomain = "emulated";
  readonly botToken = `xoxb-1000000000001-1000000000002-${randomBytes(12).toString("hex")}`;
  readonly appToken = `xapp-1-${this.appId}-1000000000003-${randomBytes(32).toString("hex")}`;
  readonly signingSecret = randomBytes(16).toString("hex");
  readonly verificationToken = randomBytes(12).toString("hex");
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  readonly userGroups: UserGroup[] = [];
  readonly views = new Map<string, SlackView>();
  readonly homes = new Map<string, SlackView>();
  readonly triggers = new Map<string, Trigger>();
  /** What a token is answered with, such as `token_revoked`. */
  readonly tokenErrors = new Map<string, string>();
  readonly emoji = new Set(["+1", "thumbsup", "eyes", "tada", "white_check_mark", "x", "heart"]);
  botScopes = new Set([
    ...["app_mentions:read", "chat:write", "chat:write.customize", "commands", "reactions:write"],
    ...["channels:read", "groups:read", "im:read", "mpim:read", "im:write", "mpim:write"],
    ...["channels:history", "groups:history", "im:history", "mpim:history"],
    ...["users:read", "usergroups:read"],
  ]);
  appScopes = new Set(["connections:write"]);
  /** The bot events that the app subscribes to. */
  subscriptions = new Set([
    ...["message.channels", "message.groups", "message.im", "message.mpim"],
    ...["app_mention", "app_home_opened"],
  ]);
  readonly bot: SlackUser;
  #counter = 0;
  #lastTs = 0;

  constructor() {
    this.bot = this.addUser("hubbot", { isBot: true });
  }

  newId(prefix: string): string {
    this.#counter += 1;
    return `${prefix}0E${this.#counter.toString(36).toUpperCase().padStart(8, "0")}`;
  }

  /** A timestamp that is unique in the workspace and grows. */
  newTs(): string {
    this.#lastTs = Math.max(this.#lastTs + 100, this.clock.now() * 1_000);
    return `${Math.floor(this.#lastTs / 1e6)}.${String(this.#lastTs % 1e6).padStart(6, "0")}`;
  }

  newTrigger(userId: string, viewId: string | null = null): string {
    const part = () => String(1_000_000_000 + Math.floor(Math.random() * 1e9));
    const id = `${part()}.${part()}.${randomBytes(16).toString("hex")}`;
    // "Your app must use it within three seconds."
    const expiresAt = this.clock.now() + 3_000;
    this.triggers.set(id, { expiresAt, isUsed: false, userId, viewId });
    return id;
  }

  addUser(name: string, { isBot = false, realName = name, deleted = false } = {}): SlackUser {
    const user = { id: this.newId("U"), name, realName, isBot, deleted };
    this.users.set(user.id, user);
    return user;
  }

  get identity(): SlackBot {
    return { id: this.botId, appId: this.appId, name: this.bot.name };
  }

  isOwn(message: SlackMessage): boolean {
    return message.bot?.id === this.botId;
  }

  needScope(needed: string): void {
    if (this.botScopes.has(needed)) return;
    throw new SlackError("missing_scope", { needed, provided: [...this.botScopes].join(",") });
  }

  /** The bot is a member unless `withBot` is false. */
  addChannel(
    name: string,
    {
      kind = "channel",
      members = [],
      withBot = true,
    }: { kind?: ChannelKind; members?: SlackUser[]; withBot?: boolean } = {},
  ): SlackChannel {
    const prefix = { channel: "C", group: "C", im: "D", mpim: "G" }[kind];
    const ids = [...members.map(({ id }) => id), ...(withBot ? [this.bot.id] : [])];
    const channel: SlackChannel = {
      id: this.newId(prefix),
      name,
      kind,
      members: new Set(ids),
      isArchived: false,
      messages: [],
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  addUserGroup(handle: string, members: SlackUser[] = []): UserGroup {
    const ids = members.map(({ id }) => id);
    const group = { id: this.newId("S"), handle, name: handle, members: ids };
    this.userGroups.push(group);
    return group;
  }

  findDirectMessage(users: readonly string[]): SlackChannel | null {
    const wanted = new Set([...users, this.bot.id]);
    for (const channel of this.channels.values()) {
      const isDirect = channel.kind === "im" || channel.kind === "mpim";
      if (isDirect && wanted.symmetricDifference(channel.members).size === 0) return channel;
    }
    return null;
  }

  openDirectMessage(users: readonly SlackUser[]): SlackChannel {
    const found = this.findDirectMessage(users.map(({ id }) => id));
    const kind = users.length === 1 ? "im" : "mpim";
    const name =
      kind === "im" ? "directmessage" : `mpdm-${users.map(({ name }) => name).join("--")}-1`;
    return found ?? this.addChannel(name, { kind, members: [...users] });
  }

  /** A channel that the bot can see. A private one of which it is no member does not exist for it. */
  visibleChannel(id: string): SlackChannel {
    const channel = this.channels.get(id);
    if (!channel || (channel.kind !== "channel" && !channel.members.has(this.bot.id))) {
      throw new SlackError("channel_not_found");
    }
    return channel;
  }

  writableChannel(id: string): SlackChannel {
    const channel = this.visibleChannel(id);
    if (channel.isArchived) throw new SlackError("is_archived");
    if (!channel.members.has(this.bot.id)) throw new SlackError("not_in_channel");
    return channel;
  }

  findMessage(channel: SlackChannel, ts: string): SlackMessage {
    const message = channel.messages.find((message) => message.ts === ts);
    if (!message) throw new SlackError("message_not_found");
    return message;
  }

  userOf(id: string): SlackUser {
    const user = this.users.get(id);
    if (!user) throw new Error(`The workspace has no user ${id}.`);
    return user;
  }
}
