import {
  type ConnectorDefinition,
  createGuardedFetch,
  createGuardedResolve,
  readConfig,
  toFieldNames,
} from "@hub/connector";
import type {
  ChatAccount,
  ChatAdapter,
  ChatEnvelope,
  OpenChannel,
} from "@hub/server/channels/chat-adapter.ts";

export type HeldChannel = {
  channel: OpenChannel;
  /** What the adapter wants stored, in the order of its calls. Each delivery counts. */
  envelopes: ChatEnvelope[];
  accounts: ChatAccount[];
  /** What the adapter stored to go on from. */
  cursors: string[];
  /** The lines of the log, with their details. */
  log: string[];
  /** Resolves with null when `stop` ended it, else with the error of the connection. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
};

type Options = {
  definition: ConnectorDefinition;
  adapter: ChatAdapter;
  /** Stored texts by wire key. */
  config: Record<string, string>;
  cursor?: string | null;
  requestUrl?: string;
  now?: () => number;
  /** Rejects for an envelope that the hub could not store. */
  store?: (envelope: ChatEnvelope) => Promise<void>;
  /** Called after each event of the connection. */
  changed?: () => void;
};

/** A channel as the hub opens it, without a hub. */
export function openTestChannel({ definition, config, now = Date.now }: Options): {
  channel: OpenChannel;
  log: string[];
} {
  const log: string[] = [];
  const write =
    (level: string) =>
    (message: string, details: Record<string, unknown> = {}) =>
      void log.push(`${level} ${message} ${JSON.stringify(details)}`);
  const policy = { savedHosts: [], allow: ["127.0.0.1"] };
  return {
    log,
    channel: {
      id: "row-1",
      slug: "bot",
      config: toFieldNames(definition.configFields, readConfig(definition.configFields, config)),
      account: null,
      fetch: createGuardedFetch({ policy, log: { debug: write("debug") } }),
      resolve: createGuardedResolve({ policy }),
      log: {
        debug: write("debug"),
        info: write("info"),
        warn: write("warn"),
        error: write("error"),
      },
      now,
    },
  };
}

/** Holds a channel of an adapter, and keeps what it receives. */
export function holdTestChannel(options: Options): HeldChannel {
  const { adapter, cursor = null, requestUrl = "https://hub.test/channels/bot/events" } = options;
  const { store = async () => {}, changed = () => {} } = options;
  const { channel, log } = openTestChannel(options);
  const stopping = new AbortController();
  const held: Pick<HeldChannel, "envelopes" | "accounts" | "cursors"> = {
    envelopes: [],
    accounts: [],
    cursors: [],
  };
  const hold = adapter.hold(channel, {
    async receive(envelope) {
      await store(envelope);
      held.envelopes.push(envelope);
      changed();
      return { runs: envelope.events.length };
    },
    connected(account) {
      held.accounts.push(account);
      changed();
    },
    reconnecting() {},
    cursor,
    async saveCursor(next) {
      held.cursors.push(next);
      changed();
    },
    requestUrl,
    signal: stopping.signal,
  });
  const ended = hold.then(
    () => null,
    (reason: unknown) => reason,
  );
  return {
    ...held,
    channel,
    log,
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
