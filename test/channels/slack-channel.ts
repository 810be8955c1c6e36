import { createGuardedFetch, createGuardedResolve, readConfig, toFieldNames } from "@hub/connector";
import type {
  ChatAccount,
  ChatEnvelope,
  ChatSession,
  OpenChannel,
} from "../../packages/server/src/channels/chat-adapter.ts";
import { slackAdapter } from "../../packages/server/src/channels/slack/slack-adapter.ts";
import { slackConnector } from "../../packages/server/src/channels/slack/slack-connector.ts";
import type { SlackEmulator } from "../support/slack-emulator/slack-emulator.ts";

/** The adapter's connection to an emulator, without a hub around it. */
export type HeldSlack = AsyncDisposable & {
  channel: OpenChannel;
  envelopes: ChatEnvelope[];
  accounts: ChatAccount[];
  reconnections: string[];
  logs: string[];
  /** Replaces what storing an envelope does. */
  onReceive(store: (envelope: ChatEnvelope) => Promise<void>): void;
  /** The error with which `hold` ended, or undefined. */
  ended: Promise<Error | undefined>;
  stop(): Promise<void>;
};

/** A row of the emulator's workspace, by the keys of the form. */
export const toRow = (slack: SlackEmulator, change: Record<string, string> = {}) => ({
  bot_token: slack.workspace.botToken,
  app_token: slack.workspace.appToken,
  signing_secret: slack.workspace.signingSecret,
  base_url: slack.apiUrl,
  ...change,
});

export function openSlackChannel(
  slack: SlackEmulator,
  change: Record<string, string> = {},
  logs: string[] = [],
  savedUrl = slack.apiUrl,
): OpenChannel {
  const policy = { savedHosts: [new URL(savedUrl).host], allow: [] };
  const { configFields } = slackConnector;
  const log = (message: string, details?: unknown) =>
    void logs.push(`${message} ${JSON.stringify(details ?? {})}`);
  return {
    id: "row-1",
    slug: "slack",
    config: toFieldNames(configFields, readConfig(configFields, toRow(slack, change))),
    account: null,
    fetch: createGuardedFetch({ policy }),
    resolve: createGuardedResolve({ policy }),
    log: { debug: log, info: log, warn: log, error: log },
    now: () => slack.workspace.clock.now(),
  };
}

/** `savedUrl` is the address whose host the outbound guard allows. */
export function holdSlack(
  slack: SlackEmulator,
  change: Record<string, string> = {},
  savedUrl = slack.apiUrl,
): HeldSlack {
  const stop = new AbortController();
  const logs: string[] = [];
  const channel = openSlackChannel(slack, change, logs, savedUrl);
  const [envelopes, accounts, reconnections]: [ChatEnvelope[], ChatAccount[], string[]] = [
    [],
    [],
    [],
  ];
  let store = async (_envelope: ChatEnvelope): Promise<void> => {};
  const session: ChatSession = {
    async receive(envelope) {
      await store(envelope);
      envelopes.push(envelope);
      return { runs: envelope.events.length };
    },
    connected: (account) => void accounts.push(account),
    reconnecting: (reason) => void reconnections.push(reason),
    cursor: null,
    saveCursor: async () => {},
    requestUrl: "http://hub.test/channels/slack/events",
    signal: stop.signal,
  };
  const ended = slackAdapter.hold(channel, session).then(
    () => undefined,
    (error: Error) => error,
  );
  const end = async () => {
    stop.abort();
    await ended;
  };
  return {
    channel,
    envelopes,
    accounts,
    reconnections,
    logs,
    ended,
    onReceive(next) {
      store = next;
    },
    stop: end,
    [Symbol.asyncDispose]: end,
  };
}
