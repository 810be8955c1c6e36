import type { ConnectorDefinition } from "@hub/connector";
import type { Config } from "../config.ts";
import { type KeptKeys, withOwnKey } from "../connectors/kept-keys.ts";
import { type ConnectorRegistry, createConnectorRegistry } from "../connectors/registry.ts";
import { traceConnector } from "../connectors/trace-connector.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { Fence } from "../plugins/fence/fence.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";
import {
  builtinChats,
  type ChatKind,
  createChatKinds,
  type LoadedChatKinds,
} from "./chat-connectors.ts";
import { findKeptKeys } from "./keys/find-kept-keys.ts";
import { openBridges } from "./open-bridges.ts";
import { registerConnectors } from "./register-connectors.ts";

type ConnectorParts = {
  config: Config;
  store: Store;
  log: Log;
  ring: RingHolder;
  fence: Fence;
  tracing: Tracing | null;
  now: () => number;
  readHubId(): Promise<string>;
  /** The hub's address for clients. */
  findBaseUrl(): Promise<string>;
  /** Of a downstream project, in addition to the built-in ones. */
  added: { connectors: readonly ConnectorDefinition[]; chats: readonly ChatKind[] };
};

export type Connectors = {
  registry: ConnectorRegistry;
  bridges: ReturnType<typeof openBridges>;
  chats: LoadedChatKinds;
  /** Keys of built-in connectors that plugins keep. */
  keptKeys: KeptKeys;
};

/** Connectors that other steps register, when there is what they need. */
const laterKeys = ["hub", "workflow", "workflow_tool"];

/** Registers the connectors that run in this process, but those that call operations themselves. */
export async function openConnectors(
  { config, store, log, ring, fence, tracing, now, readHubId, findBaseUrl, added }: ConnectorParts,
  resources: AsyncDisposableStack,
): Promise<Connectors> {
  const { db } = store;
  const bridges = openBridges({ config, fence, log, readHubId, db, ring, now, findBaseUrl });
  resources.defer(() => bridges.close());
  const registry = createConnectorRegistry((connector) => {
    const made = bridges.addSignIn(connector);
    return tracing === null ? made : traceConnector(made, tracing);
  });
  const allChats = [...builtinChats, ...added.chats];
  const built = [
    ...bridges.connectors,
    ...added.connectors,
    ...allChats.map(({ connector }) => connector),
  ];
  const keys = ["http", ...laterKeys, ...built.map(({ key }) => key)];
  const keptKeys = await findKeptKeys(config, store, keys);
  const chatKinds = allChats.flatMap((kind) =>
    withOwnKey(keptKeys, kind.connector).map((connector) => ({ ...kind, connector })),
  );
  registerConnectors(registry, {
    bridges: bridges.connectors.flatMap((one) => withOwnKey(keptKeys, one)),
    given: added.connectors.flatMap((one) => withOwnKey(keptKeys, one)),
    chats: chatKinds.map(({ connector }) => connector),
  });
  return { registry, bridges, chats: createChatKinds(chatKinds), keptKeys };
}
