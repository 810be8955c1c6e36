import type {
  ConnectorLog,
  GuardedFetch,
  GuardedResolve,
  Json,
  ValuesByName,
} from "@hub/connector";
import type { ChatEventType } from "../workflows/channels/chat-event-type.ts";

/**
 * Speaks with one chat platform. Its connector has the fields, the operations (the actions of
 * `channel` nodes), the health check and the look-up; the adapter receives the events.
 */
export type ChatAdapter = {
  /** The key of its connector. */
  kind: string;
  events: readonly ChatEventType[];
  /** Whether the platform sends events of this channel to `POST /channels/<slug>/events`. */
  acceptsRequests(config: ValuesByName): boolean;
  /**
   * Receives events until `session.signal` aborts, then closes what it opened and returns. In a
   * channel that accepts requests, it prepares the platform for them and then waits for the signal.
   * One process at a time calls it for a channel. Throws `ChatRefusal` if it is of no use to try again before
   * the row changes, `ChatRetryLater` if the platform says when, and any other error for a lost
   * connection.
   */
  hold(channel: OpenChannel, session: ChatSession): Promise<void>;
  /**
   * Reads a request of the platform; any process may call it. Throws a HubError `unauthorized` if
   * the signature is missing, wrong or older than five minutes, and `bad_request` for a body that
   * it cannot read. The answer is sent after the events are on disk.
   */
  readRequest(channel: OpenChannel, request: ChatRequest): Promise<ReadChatRequest>;
  /** Sends a text as the bot, such as an answer to a linking code. */
  sendText(channel: OpenChannel, message: { channelId: string; text: string }): Promise<void>;
  approvals: ChatApprovals;
};

/** Asks approvers for decisions. Its methods throw as operations do. */
export type ChatApprovals = {
  /**
   * Sends the question to a user, with two buttons. A click arrives as an envelope with a
   * `click`. Throws `ChatUndeliverable` if it is of no use to try again, and `ChatRetryLater`.
   */
  ask(
    channel: OpenChannel,
    userId: string,
    card: ApprovalCard,
  ): Promise<{ channelId: string; ts: string }>;
  /** Changes a question to what became of it, without buttons. A message that is gone is no failure. */
  end(
    channel: OpenChannel,
    location: { channelId: string; ts: string },
    card: ApprovalCard,
  ): Promise<void>;
  /** Answers the person who clicked a button. `refusal` is null if the button has worked. */
  answerClick(channel: OpenChannel, click: ButtonClick, refusal: string | null): Promise<void>;
};

/** What a question for an approval shows. It has no secrets, and no invisible characters. */
export type ApprovalCard = {
  /** What the buttons carry. */
  id: string;
  /** One line. */
  heading: string;
  parts: readonly CardPart[];
  /** Whether it can be decided, and so has buttons. */
  isOpen: boolean;
  /** For a notification: the heading, or what became of it. */
  summary: string;
  /** The hub's page of approvals; null if the hub has no address. */
  url: string | null;
};

/**
 * A part of a card, in plain text. A platform shows names in bold and quotes with a bar, so that no text
 * from outside looks like another part.
 */
export type CardPart =
  /** The workflow, who started the run, and so on. Each is one line. */
  | { kind: "facts"; facts: readonly (readonly [name: string, value: string])[] }
  /** Texts from outside, of one or more lines. */
  | { kind: "quote"; name: string; text: string }
  /** Words of the hub. */
  | { kind: "note"; text: string };

/** A row of a chat connector, ready for use. */
export type OpenChannel = {
  /** The row's id. */
  id: string;
  slug: string;
  /** By field name, with secrets in plaintext and defaults applied, as operations get it. */
  config: ValuesByName;
  /** What `connected` gave, in this or another process. Null before the first connection. */
  account: ChatAccount | null;
  /** For all requests of the platform's libraries too: it has the outbound guard and the time limits. */
  fetch: GuardedFetch;
  /** For connections that `fetch` cannot make, such as sockets: addresses that the guard allows. */
  resolve: GuardedResolve;
  log: ConnectorLog;
  /** The hub's clock, in epoch ms. */
  now(): number;
};

/** The bot's own account on the platform. Shown to admins; has no secrets. */
export type ChatAccount = {
  /** The workspace; null if the platform has none. */
  teamId: string | null;
  teamName: string | null;
  /** The bot's user id, by which the adapter recognizes its own messages. */
  userId: string;
  userName: string | null;
  /** Other ids of the bot that the adapter needs, such as Slack's `bot_id` and `app_id`. */
  ids?: Readonly<Record<string, string>>;
};

/** What `hold` needs of the hub. */
export type ChatSession = {
  /**
   * Resolves when the runs of the envelope are on disk. Only then may the platform be told that the
   * envelope has arrived. Envelopes are stored in the order of the calls; an adapter may have
   * hundreds of calls in flight. Rejects if the envelope was not stored, so that the platform
   * delivers it again.
   */
  receive(envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
  /** The channel is connected. Call it again after a reconnection of the library's own. */
  connected(account: ChatAccount): void;
  /** The library has lost its connection and makes another one by itself. */
  reconnecting(reason: string): void;
  /** What `saveCursor` stored last, by any process; null at first. */
  cursor: string | null;
  /** Stores where to go on, such as Telegram's offset. Call it after `receive` has resolved. */
  saveCursor(cursor: string): Promise<void>;
  /** The address for the platform's requests: `<base URL>/channels/<slug>/events`. */
  requestUrl: string;
  signal: AbortSignal;
};

/** One delivery of a platform, which may be several events: `message` and `thread_started`. */
export type ChatEnvelope = {
  /** The platform's id of this delivery, the same when it is delivered again. Unique in its channel. */
  id: string;
  /** Empty if the hub has no such event. */
  events: readonly ChatEvent[];
  /** `self` is the channel's own bot, `bot` another one. */
  from: "person" | "self" | "bot";
  /** Who sent it, for linking and approvals; null if the platform does not say. */
  sender: { teamId: string | null; userId: string; userName: string | null } | null;
  /** Set if it is a text that a person sent to the bot alone. */
  direct: { channelId: string; text: string } | null;
  /** Set if a person clicked a button of a question for an approval. Such an envelope has no events. */
  click?: ButtonClick;
  /**
   * Set if the delivery has no form that the adapter knows: what is wrong, for the log. Such an envelope has
   * no events, and is acknowledged, because it would come again and again.
   */
  unreadable?: string;
};

/** A button click. All of it comes from the platform, but `id` may be forged. */
export type ButtonClick = {
  decision: "approved" | "denied";
  /** Of the card. */
  id: string;
  /** Where the button was clicked; null if the platform does not say. */
  channelId: string | null;
  ts: string | null;
  /** Where the adapter answers the person. */
  answerTo: string | null;
};

/** One event of an envelope. `payload` matches the schema of its type. */
export type ChatEvent = { event: string; payload: { [key: string]: Json } };

export type ReceivedEnvelope = {
  /** How many runs it started, now or by an earlier delivery. */
  runs: number;
};

export type ChatRequest = { headers: Headers; raw: Uint8Array };

export type ReadChatRequest = {
  /** Usually one. Empty for a handshake, such as Slack's `url_verification`. */
  envelopes: readonly ChatEnvelope[];
  answer: { status: number; headers?: Readonly<Record<string, string>>; body?: string };
};

/** The platform refuses the channel until its row changes, such as after a token was revoked. */
export class ChatRefusal extends Error {
  override readonly name = "ChatRefusal";
}

/** The platform says when to try again. */
export class ChatRetryLater extends Error {
  override readonly name = "ChatRetryLater";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform will not deliver a message to this user, such as one who blocked the bot. */
export class ChatUndeliverable extends Error {
  override readonly name = "ChatUndeliverable";
}
