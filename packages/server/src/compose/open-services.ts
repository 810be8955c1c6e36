import { type ChangeLimit, createChangeLimit } from "../changes/change-limit.ts";
import type { Config } from "../config.ts";
import type { KeptKeys } from "../connectors/kept-keys.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import { createFreshSignIn } from "../identity/fresh-sign-in.ts";
import { createPasswords, type Passwords } from "../identity/password-hashes.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { Instance } from "../jobs/keep-instance.ts";
import type { SpaceGuard } from "../lib/files/space-guard.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { WorkerQueue } from "../operations/answers/worker-queue.ts";
import type { Operations } from "../operations/ports.ts";
import type { PluginHost } from "../plugins/plugin-host-port.ts";
import type { SecretReferences } from "../secrets/at-rest/secret-references.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import { createDiscoveryQueue } from "../services/rows/discovery/discovery-queue.ts";
import { createRowStates } from "../services/rows/states/row-states.ts";
import type { ServiceDeps } from "../services/service-deps.ts";
import type { Store } from "../store/store.ts";
import { createChannelHealthProblems } from "../workflows/channels/channel-health-problems.ts";
import type { LoadedChatKinds } from "./chat-connectors.ts";
import { type ChannelHost, openChannels } from "./open-channels.ts";
import { openCodeRunner } from "./open-code-runner.ts";
import { openWorkflows, type WorkflowHost } from "./open-workflows.ts";
import { registerHubConnector } from "./register-hub-connector.ts";
import { registerWorkflowConnectors } from "./register-workflow-connectors.ts";

type ServiceParts = {
  config: Config;
  store: Store;
  log: Log;
  ring: RingHolder;
  references: SecretReferences;
  registry: ConnectorRegistry;
  directory: RowDirectory;
  instance: Pick<Instance, "id" | "kind">;
  operations: Operations;
  answerWorker: WorkerQueue;
  space: SpaceGuard;
  plugins: PluginHost;
  chats: LoadedChatKinds;
  keptKeys: KeptKeys;
  /** Null if users are not followed at a provider. */
  watch: Pick<ProviderWatch, "admit"> | null;
  now: () => number;
  /** The hub's address for clients. */
  findBaseUrl(): Promise<string>;
};

export type OpenedServices = {
  services: ServiceDeps;
  changes: ChangeLimit;
  workflows: WorkflowHost;
  channels: ChannelHost;
  code: ReturnType<typeof openCodeRunner>;
  passwords: Passwords;
};

/** What users and admins can do, with the workflows and channels that do it for them. */
export function openServices(parts: ServiceParts, resources: AsyncDisposableStack): OpenedServices {
  const { config, store, log, ring, references, registry, operations, plugins, chats, now } = parts;
  const code = openCodeRunner({ log });
  resources.defer(() => code.close());
  const codeRunner = code.runner;
  registerHubConnector({ ...parts, sandbox: code.sandbox });
  const workflows = openWorkflows({ ...parts, codeRunner });
  resources.defer(() => workflows.close());
  const { open: openWorkflowsOnce } = workflows;
  const channelProblems = createChannelHealthProblems();
  const freshSignIn = createFreshSignIn({ config, now });
  const channels = openChannels({
    ...parts,
    freshSignIn,
    channelProblems,
    openWorkflows: openWorkflowsOnce,
  });
  resources.defer(() => channels.close());

  const passwords = createPasswords();
  const services = {
    store,
    passwords,
    ring,
    references,
    registry,
    operations,
    plugins,
    config,
    freshSignIn,
    now,
    openWorkflows: openWorkflowsOnce,
    codeRunner,
    discoveries: createDiscoveryQueue(),
    chats,
    channelProblems,
    rowStates: createRowStates({ db: store.db, directory: parts.directory, registry }),
  };
  const changes = createChangeLimit({ now, perDay: config.changesPerDay });
  const workflowTools = { ...services, changes, findBaseUrl: parts.findBaseUrl };
  registerWorkflowConnectors(workflowTools, parts.keptKeys);
  return { services, changes, workflows, channels, code, passwords };
}
