import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { FreshSignIn } from "../identity/fresh-sign-in.ts";
import type { Passwords } from "../identity/password-hashes.ts";
import type { FairQueue } from "../lib/queues/fair-queue.ts";
import type { RunningCalls } from "../operations/calls/running-calls.ts";
import type { Batches, CallRecords, Calls, Rows, ToolCatalogue } from "../operations/ports.ts";
import type { PluginHost } from "../plugins/plugin-host-port.ts";
import type { SecretReferences } from "../secrets/at-rest/secret-references.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";
import type { ChannelHealthProblems } from "../workflows/channels/channel-health-problems.ts";
import type { ChatKinds } from "../workflows/channels/chat-kinds.ts";
import type { CodeRunner } from "../workflows/code/run-code.ts";
import type { OpenWorkflows } from "../workflows/workflows.ts";
import type { RowStates } from "./rows/states/known-row.ts";

/**
 * The dependencies of the services, built once. Every service is a plain function of these, the
 * actor, an id and an input. It checks its input. Its caller checks the actor's rights.
 */
export type ServiceDeps = {
  store: Store;
  ring: RingHolder;
  references: SecretReferences;
  registry: ConnectorRegistry;
  operations: {
    calls: Pick<Calls, "call" | "tryOut">;
    batches: Pick<Batches, "tryOut">;
    rows: Rows;
    catalogue: Pick<
      ToolCatalogue,
      "list" | "listAll" | "listRows" | "nameRows" | "search" | "browse" | "get"
    >;
    records: Pick<CallRecords, "answer">;
    running: Pick<RunningCalls, "cancel">;
  };
  /** Limits the discoveries at once. */
  discoveries: FairQueue;
  plugins: PluginHost;
  passwords: Pick<Passwords, "hash">;
  config: Config;
  freshSignIn: FreshSignIn;
  now: () => number;
  openWorkflows: OpenWorkflows;
  chats: ChatKinds;
  codeRunner?: Pick<CodeRunner, "openCheck">;
  channelProblems: ChannelHealthProblems;
  rowStates: RowStates;
};
