import { defineConnector, wick } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { type ChatEventType, defineChatEvent } from "../../workflows/channels/chat-event-type.ts";
import type {
  ChatAccount,
  ChatAdapter,
  ChatEnvelope,
  ChatSession,
  OpenChannel,
  ReceivedEnvelope,
} from "../chat-adapter.ts";

/** A chat platform in memory, with its adapter and connector. */
export type FakeChat = {
  adapter: ChatAdapter;
  connector: ReturnType<typeof defineFakeConnector>;
  /** The connections that are held now, by row id. */
  held: ReadonlyMap<string, HeldChannel>;
  /** How often `hold` was called, by row id. */
  holds: ReadonlyMap<string, number>;
  /** Texts and operations that arrived at the platform. */
  sent: { channelId: string; text: string }[];
  /** Delivers an envelope over the row's connection, as the platform does. */
  deliver(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
  /** Ends the row's connection with this error. */
  fail(rowId: string, reason: Error): void;
  /** All further attempts to connect fail with this error; null ends that. */
  refuseConnections(reason: Error | null): void;
};

export type HeldChannel = {
  channel: OpenChannel;
  session: ChatSession;
  end(reason: Error): void;
};

const account: ChatAccount = {
  teamId: "T1",
  teamName: "Fake",
  userId: "BOT",
  userName: "hubbot",
};

/** What `readRequest` compares the header `X-Fake-Token` with. */
export function createFakeChat(kind = "fakechat"): FakeChat {
  const held = new Map<string, HeldChannel>();
  const holds = new Map<string, number>();
  const sent: FakeChat["sent"] = [];
  let refusal: Error | null = null;
  const adapter: ChatAdapter = {
    kind,
    events: fakeEvents,
    acceptsRequests: (config) => config.Mode === "http",
    async hold(channel, session) {
      holds.set(channel.id, (holds.get(channel.id) ?? 0) + 1);
      if (refusal !== null) throw refusal;
      if (held.has(channel.id)) throw new Error("The channel is held twice");
      const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
      session.signal.addEventListener("abort", () => resolve(), { once: true });
      held.set(channel.id, { channel, session, end: reject });
      session.connected(account);
      try {
        await ended;
      } finally {
        held.delete(channel.id);
      }
    },
    async readRequest({ config }, { headers, raw }) {
      if (headers.get("x-fake-token") !== config.Token) {
        throw new HubError("unauthorized", "The signature is missing or wrong.");
      }
      // Safe: tests write it.
      const envelope = JSON.parse(new TextDecoder().decode(raw)) as ChatEnvelope;
      return { envelopes: [envelope], answer: { status: 200, body: "ok" } };
    },
    async sendText(_channel, { channelId, text }) {
      sent.push({ channelId, text });
    },
    approvals: {
      async ask(_channel, userId, { heading }) {
        sent.push({ channelId: userId, text: heading });
        return { channelId: userId, ts: String(sent.length) };
      },
      async end() {},
      async answerClick() {},
    },
  };
  return {
    adapter,
    connector: defineFakeConnector(kind, sent),
    held,
    holds,
    sent,
    async deliver(rowId, envelope) {
      const connection = held.get(rowId);
      if (connection === undefined) throw new Error(`No connection of ${rowId}`);
      return await connection.session.receive(envelope);
    },
    fail: (rowId, reason) => held.get(rowId)?.end(reason),
    refuseConnections(reason) {
      refusal = reason;
    },
  };
}

/** A message of a person, with members replaced by `change`. */
export function fakeMessage(
  id: string,
  payload: Partial<{ user: string; text: string; channel_id: string; is_dm: boolean }> = {},
  change: Partial<ChatEnvelope> = {},
): ChatEnvelope {
  const full = { user: "U1", text: "hello", channel_id: "C1", is_dm: false, ts: id, ...payload };
  return {
    id,
    events: [{ event: "message", payload: full }],
    from: "person",
    sender: { teamId: "T1", userId: full.user, userName: null },
    direct: full.is_dm ? { channelId: full.channel_id, text: full.text } : null,
    ...change,
  };
}

const fakeEvents: ChatEventType[] = [
  defineChatEvent({
    id: "message",
    name: "Message",
    description: "A message in a channel of the bot.",
    filters: ["channel_ids", "users", "text_contains", "include_bots", "include_self"],
    pickers: { channel_ids: "fake.channels", users: "fake.users" },
    payload: z.strictObject({
      user: z.string(),
      text: z.string(),
      channel_id: z.string(),
      is_dm: z.boolean(),
      ts: z.string(),
    }),
    sample: { user: "U1", text: "hello", channel_id: "C1", is_dm: false, ts: "1.0" },
  }),
  defineChatEvent({
    id: "command",
    name: "Command",
    description: "A slash command.",
    filters: ["command", "channel_ids", "users"],
    pickers: { channel_ids: "fake.channels", users: "fake.users" },
    payload: z.strictObject({
      user: z.string(),
      command: z.string(),
      text: z.string(),
      channel_id: z.string(),
    }),
    sample: { user: "U1", command: "/deploy", text: "now", channel_id: "C1" },
  }),
];

function defineFakeConnector(kind: string, sent: FakeChat["sent"]) {
  return defineConnector({
    key: kind,
    name: "Fake chat",
    icon: "message",
    tier: "builtin",
    description: "A chat platform in memory.",
    config: {
      Token: wick("secret;required"),
      Mode: wick("dropdown=socket|http;default=socket"),
    },
    operations: {
      send_message: {
        description: "Sends a message.",
        input: { ChannelID: wick("required;desc=Where to"), Text: wick("required") },
        destructive: true,
        async run({ params }) {
          sent.push({ channelId: params.ChannelID, text: params.Text });
          return { ok: true, ts: String(sent.length) };
        },
      },
    },
    lookup: ({ source, query }) =>
      Array.from({ length: 30 }, (_, at) => ({ id: `${source}-${at}`, name: `${query} ${at}` })),
    health: () => ({ ok: true }),
  });
}
