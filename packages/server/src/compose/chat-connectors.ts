import type { ConnectorDefinition } from "@hub/connector";
import type { ChatAdapter } from "../channels/chat-adapter.ts";
import { slackConnector } from "../channels/slack/slack-connector.ts";
import { telegramConnector } from "../channels/telegram/telegram-connector.ts";
import type { ChatKinds } from "../workflows/channels/chat-kinds.ts";

/** A chat platform: its connector, and the adapter that receives its events. */
export type ChatKind = {
  connector: ConnectorDefinition;
  /** Called once, when there is a channel of the kind. */
  loadAdapter(): Promise<ChatAdapter>;
};

/** The platforms that every hub speaks with. Their adapters are loaded when there is a channel. */
export const builtinChats: readonly ChatKind[] = [
  {
    connector: telegramConnector,
    loadAdapter: async () =>
      (await import("../channels/telegram/telegram-adapter.ts")).telegramAdapter,
  },
  {
    connector: slackConnector,
    loadAdapter: async () => (await import("../channels/slack/slack-adapter.ts")).slackAdapter,
  },
];

export type LoadedChatKinds = ChatKinds & { loadAdapter(kind: string): Promise<ChatAdapter> };

export function createChatKinds(kinds: readonly ChatKind[]): LoadedChatKinds {
  const byKey = new Map(kinds.map((kind) => [kind.connector.key, kind]));
  const loaded = new Map<string, Promise<ChatAdapter>>();
  const loadAdapter = (key: string): Promise<ChatAdapter> => {
    const kind = byKey.get(key);
    if (kind === undefined) throw new Error(`There is no chat platform "${key}"`);
    const adapter = loaded.get(key) ?? kind.loadAdapter();
    loaded.set(key, adapter);
    adapter.catch(() => loaded.delete(key));
    return adapter;
  };
  return {
    has: (key) => byKey.has(key),
    loadAdapter,
    loadEvents: async (key) => (await loadAdapter(key)).events,
    acceptsRequests: async (key, config) => (await loadAdapter(key)).acceptsRequests(config),
  };
}
