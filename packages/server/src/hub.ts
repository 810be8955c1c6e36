import { tmpdir } from "node:os";
import type { ConnectorDefinition } from "@hub/connector";
import { createApprovedJob } from "./compose/approved-job.ts";
import type { ChatKind } from "./compose/chat-connectors.ts";
import { createMcps } from "./compose/create-mcps.ts";
import { openData } from "./compose/database/open-data.ts";
import { createGroupJob } from "./compose/group-jobs.ts";
import { createHealthJob } from "./compose/health-jobs.ts";
import { openConnectors } from "./compose/open-connectors.ts";
import { metaToolNames, openOperations } from "./compose/open-operations.ts";
import { openPlugins } from "./compose/open-plugins.ts";
import { openProvider } from "./compose/open-provider.ts";
import type { RunningServer } from "./compose/open-server.ts";
import { openServices } from "./compose/open-services.ts";
import { openTracing } from "./compose/open-tracing.ts";
import { createScimJob } from "./compose/scim-job.ts";
import { type JobLists, startJobs } from "./compose/start-jobs.ts";
import { toCloseError } from "./compose/to-close-error.ts";
import type { Config } from "./config.ts";
import { createManagedSecrets } from "./connectors/managed/create-managed-secrets.ts";
import type { ConnectorRegistry } from "./connectors/registry.ts";
import { createRowDirectory } from "./connectors/rows/row-directory.ts";
import { seedOwnRows } from "./connectors/rows/seed-own-rows.ts";
import { findAdmitted } from "./identity/find-admitted.ts";
import { findCaller } from "./identity/find-caller.ts";
import { localAdmin } from "./identity/local-admin.ts";
import type { ProviderWatch } from "./identity/sso/watch-provider.ts";
import { createTokenUses } from "./identity/token-uses.ts";
import { flushTokenUses } from "./jobs/flush-token-uses.ts";
import { openInstance } from "./jobs/keep-instance.ts";
import type { ProgramLog } from "./lib/logs/create-log.ts";
import { type Metrics, noMetrics } from "./lib/metrics/metrics.ts";
import { readBuildInfo, readHubVersion } from "./lib/process/build-info.ts";
import type { StdioOptions } from "./mcp/stdio/stdio.ts";
import type { Operations } from "./operations/ports.ts";
import { createFence, type Fence, toFenceDeps } from "./plugins/fence/fence.ts";
import { sweepLeftovers } from "./plugins/process/sweep-leftovers.ts";
import {
  createSecretReferences,
  type SecretReferences,
} from "./secrets/at-rest/secret-references.ts";
import type { ServiceDeps } from "./services/service-deps.ts";
import type { InstanceKind } from "./store/database/tables/hub-tables.ts";
import type { Store } from "./store/store.ts";
import { toLiveSettings } from "./stored-settings.ts";

export type HubOptions = {
  config: Config;
  /** The kind of process: the server, a stdio session, or one command. */
  kind: InstanceKind;
  log: ProgramLog;
  /** Whether a hub is created if there is none. The default is true except for a command. */
  mayMakeHub?: boolean;
  /** Connectors of a downstream project, in addition to the built-in ones. */
  connectors?: readonly ConnectorDefinition[];
  /** Chat platforms, in addition to the built-in ones. */
  chats?: readonly ChatKind[];
};

export type Hub = {
  config: Config;
  registry: ConnectorRegistry;
  operations: Operations;
  /** The dependencies of the functions in `services/`. */
  services: ServiceDeps;
  /** The hub's address for clients: configured, recorded by a running server, or the default. */
  findServedBaseUrl(): Promise<string>;
  /** Serves MCP over HTTP until `stop`. */
  serve(): Promise<RunningServer>;
  /**
   * Serves one MCP client over a pair of streams until its input ends: as the local admin, or as
   * the user with this id.
   */
  serveStdio(session: StdioSession): Promise<void>;
  /** Finishes running work and closes everything in reverse order. */
  close(): Promise<void>;
};

export type StdioSession = Omit<StdioOptions, "findCaller"> & {
  userId: string | null;
  /** The command that starts the command line in a terminal of this machine, for messages. */
  command: string;
};

/** Builds a hub for a data folder. The only place where its parts are constructed. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const resources = new AsyncDisposableStack();
  try {
    return await buildHub(options, resources);
  } catch (failure) {
    await resources.disposeAsync();
    throw failure;
  }
}

/** Opens one part after the other. Each registers its close, and a close runs these in reverse order. */
async function buildHub(options: HubOptions, resources: AsyncDisposableStack): Promise<Hub> {
  const { config, kind, log } = options;
  const metrics = await openMetrics(kind, Date.now());
  const tracing = await openTracing({ config, kind, log, now: () => Date.now() });
  resources.defer(async () => await tracing?.close());
  const { mayMakeHub = kind !== "cli" } = options;
  const { store, ring, readHubId, now, findServedBaseUrl } = await openData(
    { config, kind, log, mayMakeHub, tracing },
    resources,
  );
  const base = { config, store, log, ring, now, tracing, readHubId };

  const references = openReferences(base);
  const fence = createFence(toFenceDeps(config));
  const { connectors = [], chats: addedChats = [] } = options;
  const { registry, bridges, chats, keptKeys } = await openConnectors(
    { ...base, fence, findBaseUrl: findServedBaseUrl, added: { connectors, chats: addedChats } },
    resources,
  );
  const hubVersion = await readHubVersion();
  const plugins = openPlugins({ ...base, fence, registry, hubVersion, keptKeys });
  resources.defer(() => plugins.stop());
  const directory = createRowDirectory({
    reads: store.reads,
    db: store.db,
    registry,
    ring,
    references,
    followPlugins: () => plugins.sync(),
    toSettings: (stored) => toLiveSettings(config, stored),
  });

  // A command ends before it could be asked for its version.
  const version = kind === "cli" ? "" : hubVersion;
  const { db, clock, instanceLocks: locks } = store;
  const opened = await openInstance({ db, clock, locks }, { kind, version });
  const { instance } = opened;
  resources.defer(opened.close);

  const { operations, answerWorker, embeddings, space } = await openOperations(
    { ...base, registry, directory, instance, metrics },
    resources,
  );
  // A command ends before a user could. Other processes run approved calls too.
  const provider = kind === "cli" ? null : await openProvider(base);
  const watch = provider?.watch ?? null;
  const { services, changes, workflows, channels, code, passwords } = openServices(
    {
      ...base,
      watch,
      registry,
      directory,
      instance,
      operations,
      answerWorker,
      space,
      references,
      plugins,
      chats,
      keptKeys,
      findBaseUrl: findServedBaseUrl,
    },
    resources,
  );
  await seedOwnRows({ store, now }, keptKeys);
  await plugins.start({ staysOpen: kind !== "cli", instanceId: instance.id });
  if (kind !== "cli") sweep({ log, fence }, resources);

  const uses = createTokenUses();
  resources.defer(() => flushTokenUses({ db: store.db, uses }));
  const { openMcp, cancelRequest } = createMcps(
    { ...base, instance, operations, metrics },
    resources,
  );
  const jobParts = {
    store,
    config,
    log,
    now,
    uses,
    operations,
    cancelRequest,
    openWorkflowsIfAny: workflows.openIfAny,
    more: listMoreJobs(config, services, bridges.createJobs({ services, now, directory }), {
      own: provider?.jobs ?? [],
      common: [
        createApprovedJob({ store, operations, watch, now }),
        createGroupJob({ store, now }),
        createScimJob({ store, now }),
      ],
    }),
  };
  resources.defer(startJobs(jobParts, instance));

  return {
    config,
    registry,
    operations,
    services,
    async serve() {
      // Loaded on first use, because commands and stdio do not need it.
      const { openServer } = await import("./compose/open-server.ts");
      const calls = { operations, embeddings, space, directory, services, changes };
      const processes = { plugins, code, channels, opened };
      return await openServer(
        { ...base, ...calls, ...processes, metrics, passwords, uses, provider, openMcp },
        resources,
      );
    },
    findServedBaseUrl,
    serveStdio: (session) => serveStdio({ store, watch, findServedBaseUrl, openMcp }, session),
    close: () => closeHub(store, resources),
  };
}

type ReferenceParts = Pick<ServiceDeps, "config" | "store" | "ring" | "now"> & { log: ProgramLog };

/** The jobs of bridges, and the checks of rows unless they are off. */
function listMoreJobs(
  { healthChecks }: Pick<Config, "healthChecks">,
  services: ServiceDeps,
  ofBridges: JobLists,
  ofOthers: JobLists,
): JobLists {
  const checks = healthChecks ? [createHealthJob(services)] : [];
  return {
    own: [...ofBridges.own, ...ofOthers.own],
    common: [...ofBridges.common, ...checks, ...ofOthers.common],
  };
}

function openReferences({ config, store, ring, log, now }: ReferenceParts): SecretReferences {
  const managed = createManagedSecrets({
    db: store.db,
    reads: store.reads,
    ring,
    outboundAllow: config.outboundAllow,
    readCloudVariable: config.readCloudVariable,
    keepMs: () => config.secretsKeepSeconds * 1000,
    awayMs: () => config.secretsAwaySeconds * 1000,
    log,
    now,
  });
  const { read } = createSecretReferences({
    readVariable: config.readSecretVariable,
    folder: config.secretsDir,
  });
  return { read, managed };
}

/** Removes what processes that were killed have left. The hub starts meanwhile. */
function sweep(
  { log, fence }: Pick<HubOptions, "log"> & { fence: Pick<Fence, "sweep"> },
  resources: AsyncDisposableStack,
): void {
  const swept = Promise.all([sweepLeftovers({ log }, tmpdir()), fence.sweep()]);
  resources.defer(async () => void (await swept));
}

type StdioParts = Pick<Hub, "findServedBaseUrl"> &
  Pick<ReturnType<typeof createMcps>, "openMcp"> & {
    store: Pick<Store, "reads">;
    watch: Pick<ProviderWatch, "admit"> | null;
  };

async function serveStdio(
  { store, watch, findServedBaseUrl, openMcp }: StdioParts,
  { userId, command, ...streams }: StdioSession,
): Promise<void> {
  const findStdioCaller = async () =>
    userId === null
      ? localAdmin
      : await findAdmitted(watch, () => findCaller(store, userId, "stdio"));
  const mcp = openMcp(await readBuildInfo(), await findServedBaseUrl(), command);
  await mcp.serveStdio({ ...streams, findCaller: findStdioCaller });
}

async function closeHub(
  store: Pick<Store, "limitWaits">,
  resources: AsyncDisposableStack,
): Promise<void> {
  store.limitWaits();
  try {
    await resources.disposeAsync();
  } catch (failure) {
    throw toCloseError(failure);
  }
}

/** Only a server serves metrics; other processes do not load the library. */
async function openMetrics(kind: InstanceKind, startedAt: number): Promise<Metrics> {
  if (kind !== "serve") return noMetrics;
  const { createPrometheusMetrics } = await import("./lib/metrics/prometheus-metrics.ts");
  return createPrometheusMetrics({ metaToolNames: [...metaToolNames], startedAt });
}
