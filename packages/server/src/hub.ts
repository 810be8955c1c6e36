import { tmpdir } from "node:os";
import type { ConnectorDefinition } from "@hub/connector";
import { createChangeLimit } from "./changes/change-limit.ts";
import { builtinChats, type ChatKind, createChatKinds } from "./compose/chat-kinds.ts";
import { findKeptKeys } from "./compose/find-kept-keys.ts";
import { checkKeys, loadRing, makeKeysAtFirst } from "./compose/load-keys.ts";
import { loadSingleSignOn } from "./compose/load-single-sign-on.ts";
import { markServing } from "./compose/mark-serving.ts";
import { refuseOtherHub } from "./compose/obey-marks.ts";
import { openBridges } from "./compose/open-bridges.ts";
import { openChannels } from "./compose/open-channels.ts";
import { openCodeRunner } from "./compose/open-code-runner.ts";
import { openEmbeddings } from "./compose/open-embeddings.ts";
import { openPlugins } from "./compose/open-plugins.ts";
import { openConfiguredStore } from "./compose/open-store.ts";
import { openTracing } from "./compose/open-tracing.ts";
import { openWorkflows } from "./compose/open-workflows.ts";
import { registerConnectors } from "./compose/register-connectors.ts";
import { startJobs } from "./compose/start-jobs.ts";
import { toCloseError } from "./compose/to-close-error.ts";
import type { Config } from "./config.ts";
import { toOwnKey, withOwnKey } from "./connectors/kept-keys.ts";
import { type ConnectorRegistry, createConnectorRegistry } from "./connectors/registry.ts";
import { createRowDirectory } from "./connectors/row-directory.ts";
import { seedOwnRows } from "./connectors/seed-own-rows.ts";
import { traceConnector } from "./connectors/trace-connector.ts";
import type { HttpServer } from "./http/server.ts";
import { authenticateBearer, authenticatePersonalToken } from "./identity/authenticate-bearer.ts";
import { countSignIns } from "./identity/count-sign-ins.ts";
import { findCaller } from "./identity/find-caller.ts";
import { findPresentCaller } from "./identity/find-present-caller.ts";
import { createKnownBrowsers } from "./identity/known-browsers.ts";
import { localAdmin } from "./identity/local-admin.ts";
import { createPasswords } from "./identity/passwords.ts";
import { createSessions } from "./identity/sessions.ts";
import { createSignIn } from "./identity/sign-in.ts";
import { createSignInThrottle } from "./identity/sign-in-throttle.ts";
import { createTokenUses } from "./identity/token-uses.ts";
import { traceCallers } from "./identity/trace-callers.ts";
import { flushTokenUses } from "./jobs/flush-token-uses.ts";
import { openInstance } from "./jobs/keep-instance.ts";
import { isLoopbackHost, toDefaultBaseUrl, toLocalUrl } from "./lib/bind-host.ts";
import { createBudgets } from "./lib/budgets/budgets.ts";
import { type BuildInfo, readBuildInfo, readHubVersion } from "./lib/build-info.ts";
import type { ProgramLog } from "./lib/create-log.ts";
import { createDailyAmounts } from "./lib/daily-amounts.ts";
import { createHidePaths } from "./lib/hide-paths.ts";
import { type Metrics, noMetrics } from "./lib/metrics.ts";
import { createSpaceGuard, noSpaceGuard } from "./lib/space-guard.ts";
import { systemTimers } from "./lib/timers.ts";
import { createTrustedProxies } from "./lib/trusted-proxies.ts";
import { createCancelElsewhere } from "./mcp/cancel-elsewhere.ts";
import { createMcp, type Mcp } from "./mcp/mcp.ts";
import type { StdioOptions } from "./mcp/stdio.ts";
import { createMetaTools, metaTools } from "./mcp/tools/meta-tools.ts";
import { createLargeAnswers } from "./operations/answers/create-large-answers.ts";
import { openAnswerWorker } from "./operations/answers/open-worker.ts";
import { createCallLimiter } from "./operations/call-limits.ts";
import { createOperations } from "./operations/create-operations.ts";
import { createGuessLimiter } from "./operations/guesses/limit-guesses.ts";
import type { Operations } from "./operations/operations.ts";
import { createRefusedCalls } from "./operations/refused-calls.ts";
import { traceOperations } from "./operations/trace-operations.ts";
import { createFence, toFenceDeps } from "./plugins/fence/fence.ts";
import { sweepLeftovers } from "./plugins/process/sweep-leftovers.ts";
import { createRingHolder } from "./secrets/ring-holder.ts";
import { createSecretReferences } from "./secrets/secret-references.ts";
import { createDiscoveryQueue } from "./services/rows/discovery/discovery-queue.ts";
import type { ServiceDeps } from "./services/service-deps.ts";
import { countStored } from "./store/count-stored.ts";
import { countServers, listLiveInstances, listServers } from "./store/find-server.ts";
import { createHubIdReader } from "./store/hub-id.ts";
import type { RequestCancellation } from "./store/request-cancellations.ts";
import type { InstanceKind } from "./store/tables.ts";
import { toLiveSettings } from "./stored-settings.ts";
import { createChannelTroubles } from "./workflows/channels/channel-troubles.ts";
import { registerWorkflowConnector } from "./workflows/connector/workflow-connector.ts";
import { toolConnectorKey } from "./workflows/tools/tool-row.ts";
import { registerWorkflowTools } from "./workflows/tools/workflow-tool-connector.ts";

export type HubOptions = {
  config: Config;
  /** The kind of process: the server, a stdio session, or one command. */
  kind: InstanceKind;
  log: ProgramLog;
  /** Whether a hub is made where none is. The default is true except for a command. */
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

export type RunningServer = HttpServer & {
  /** Its address for clients, without a trailing slash. */
  baseUrl: string;
  /** The accepted values of the Host header. */
  answeredHosts: string[];
};

export type StdioSession = Omit<StdioOptions, "findCaller"> & {
  userId: string | null;
  /** The command that starts the command line in a terminal of this machine, for messages. */
  command: string;
};

/** Builds a hub for a data folder. The only place where its parts are constructed. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, kind, log, mayMakeHub = kind !== "cli" } = options;
  const resources = new AsyncDisposableStack();
  const startedAt = Date.now();
  // Only a server serves metrics; other processes do not load the library.
  const metrics = kind === "serve" ? await openMetrics(startedAt) : noMetrics;
  try {
    const tracing = await openTracing({ config, kind, log, now: () => Date.now() });
    resources.defer(async () => await tracing?.close());
    const isPatient = kind === "serve";
    const store = await openConfiguredStore({ config, log, isPatient, mayMakeHub, tracing });
    resources.defer(() => store.close());
    const now = () => store.clock.now();
    await makeKeysAtFirst(config, store, { log, mayMakeHub });
    const ring = await createRingHolder(() => loadRing(config));
    // Before anything else is stored.
    await checkKeys(config, store, { ring: ring.current(), mayMakeHub });
    const readHubId = createHubIdReader(store.db);
    if (kind !== "serve") await refuseOtherHub(config, readHubId);
    const references = createSecretReferences({
      readVariable: config.readSecretVariable,
      folder: config.secretsDir,
    });

    const registry = createConnectorRegistry((connector) =>
      tracing === null ? connector : traceConnector(connector, tracing),
    );
    const fence = createFence(toFenceDeps(config));
    const findServedBaseUrl = async () => {
      if (config.baseUrl !== null) return config.baseUrl;
      const [server] = listServers(await listLiveInstances(store, now()));
      return server?.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
    };
    const bridges = openBridges({
      ...{ config, fence, log, readHubId, db: store.db, ring, now },
      findBaseUrl: findServedBaseUrl,
    });
    resources.defer(() => bridges.close());
    const allChats = [...builtinChats, ...(options.chats ?? [])];
    const { connectors: given = [] } = options;
    const keptKeys = await findKeptKeys(config, store, [
      ...["http", "hub", "workflow", "workflow_tool"],
      ...[...bridges.connectors, ...given, ...allChats.map(({ connector }) => connector)].map(
        ({ key }) => key,
      ),
    ]);
    const chatKinds = allChats.flatMap((kind) =>
      withOwnKey(keptKeys, kind.connector).map((connector) => ({ ...kind, connector })),
    );
    registerConnectors(registry, store, {
      bridges: bridges.connectors.flatMap((one) => withOwnKey(keptKeys, one)),
      given: given.flatMap((one) => withOwnKey(keptKeys, one)),
      chats: chatKinds.map(({ connector }) => connector),
    });
    const chats = createChatKinds(chatKinds);
    const hubVersion = await readHubVersion();
    const plugins = openPlugins({
      ...{ config, fence, store, registry, log, now, hubVersion, keptKeys, tracing },
    });
    resources.defer(() => plugins.stop());
    const directory = createRowDirectory({
      ...{ reads: store.reads, db: store.db },
      registry,
      ...{ ring, references },
      followPlugins: () => plugins.sync(),
      toSettings: (stored) => toLiveSettings(config, stored),
    });

    // A command ends before it could be asked for its version.
    const version = kind === "cli" ? "" : await readHubVersion();
    const { db, clock, instanceLocks: locks } = store;
    const opened = await openInstance({ db, clock, locks }, { kind, version });
    const { instance } = opened;
    resources.defer(opened.close);

    const largeAnswers = createLargeAnswers({
      openWorker: openAnswerWorker,
      timers: systemTimers,
    });
    resources.defer(() => largeAnswers.answerWorker.close());
    const budgets = createBudgets({
      limits: {
        secretChars: config.budgetSecretChars,
        memoryBytes: config.budgetMemoryBytes,
      },
    });
    // A command does not search.
    const embeddings =
      kind === "cli" ? null : await openEmbeddings({ config, store, log, instanceId: instance.id });
    if (embeddings !== null) resources.defer(() => embeddings.close());
    const counts = store.callCounts;
    const refusedCalls = createRefusedCalls({
      timers: systemTimers,
      logFailure: (err) => log.error({ err }, "Refused calls could not be recorded"),
    });
    resources.defer(() => refusedCalls.close());
    // A PostgreSQL server keeps its data on another disk.
    const space = store.isShared
      ? noSpaceGuard
      : createSpaceGuard({ folder: config.dataDir, bytesMin: config.diskFreeBytesMin, log });
    const untraced = createOperations({
      space,
      recordedBytes: createDailyAmounts({ now, perDay: config.auditUserBytesPerDay }),
      refusedCalls,
      ...largeAnswers,
      budgets,
      embeddings,
      registry,
      directory,
      ring,
      log,
      now,
      runs: store.runs,
      metrics,
      instanceId: instance.id,
      readHubId,
      isMaskingEnabled: !config.encDisable,
      rowTokens: config.rowTokens,
      userLimiter: createCallLimiter({ counts, kind: "user", subject: "You have" }),
      rowLimiter: createCallLimiter({
        counts,
        kind: "row",
        subject: "The callers of this row have",
      }),
      guessLimiter: createGuessLimiter({
        counts: store.hourlyCounts,
        perHour: config.budgetGuesses,
      }),
      outboundAllow: config.outboundAllow,
      // With the time that all servers share, because pages of runs follow the order of their ids.
      createRunId: () => Bun.randomUUIDv7("hex", now()),
      hidePaths: createHidePaths([config.dataDir]),
      logFailure: (report) => log.error(report, "A call failed"),
    });
    const operations =
      tracing === null ? untraced : traceOperations(untraced, tracing, metaToolNames);
    const code = openCodeRunner({ log });
    resources.defer(() => code.close());
    const codeRunner = code.runner;
    const workflows = openWorkflows({
      space,
      ...{ store, config, log, ring, directory, operations, instance, now, codeRunner },
      answerWorker: largeAnswers.answerWorker,
    });
    resources.defer(() => workflows.close());
    const { open: openWorkflowsOnce } = workflows;
    const channelTroubles = createChannelTroubles();
    const channels = openChannels({
      ...{ store, config, log, ring, registry, directory, instance, now, chats },
      troubles: channelTroubles,
      openWorkflows: openWorkflowsOnce,
    });
    resources.defer(() => channels.close());
    const passwords = createPasswords();
    const services = {
      ...{ store, passwords, ring, references, registry, operations, plugins, config, now },
      openWorkflows: openWorkflowsOnce,
      codeRunner,
      discoveries: createDiscoveryQueue(),
      ...{ chats, channelTroubles },
    };
    const changes = createChangeLimit({ now, perDay: config.changesPerDay });
    const workflowTools = { ...services, changes, findBaseUrl: findServedBaseUrl };
    const workflowKey = toOwnKey(keptKeys, "workflow");
    if (workflowKey !== null) registerWorkflowConnector(workflowTools, workflowKey);
    const toolKey = toOwnKey(keptKeys, toolConnectorKey);
    if (toolKey !== null) registerWorkflowTools(workflowTools, toolKey);
    await seedOwnRows({ store, now }, keptKeys);
    await plugins.start({ staysOpen: kind !== "cli", instanceId: instance.id });
    if (kind !== "cli") {
      const swept = Promise.all([sweepLeftovers({ log }, tmpdir()), fence.sweep()]);
      resources.defer(async () => void (await swept));
    }

    const uses = createTokenUses();
    resources.defer(() => flushTokenUses({ db: store.db, uses }));
    const mcps: Mcp[] = [];
    const cancelRequest = ({ userId, sessionId, requestId }: RequestCancellation) => {
      const name = { owner: userId, session: sessionId, id: requestId };
      for (const mcp of mcps) mcp.cancelRequest(name);
    };
    const { openIfAny: openWorkflowsIfAny } = workflows;
    const jobParts = {
      ...{ store, config, log, now, uses, operations, cancelRequest },
      openWorkflowsIfAny,
      more: bridges.createJobs({ services, now, directory }),
    };
    resources.defer(startJobs(jobParts, instance));

    const openMcp = (buildInfo: BuildInfo, baseUrl: string, localCommand?: string) => {
      const { mcpSessions: sessionIdPolicy } = config;
      const mcp = createMcp({
        operations,
        tools: createMetaTools({ operations, buildInfo, baseUrl, localCommand }),
        log,
        metrics,
        buildInfo,
        sessionIdPolicy,
        ...(store.isShared && {
          cancelElsewhere: createCancelElsewhere({ ...store, log, now }),
        }),
        isTraced: tracing !== null,
      });
      mcps.push(mcp);
      resources.defer(() => mcp.close());
      return mcp;
    };

    return {
      config,
      registry,
      operations,
      services,
      async serve() {
        // Loaded on first use, because commands and stdio do not need it.
        const { createHttpServer } = await import("./http/server.ts");
        const { createApp } = await import("./http/routes.ts");
        const { createReadiness } = await import("./http/readiness.ts");
        const { createAuthorizationServer } = await import("./oauth/authorization-server.ts");
        const { listAnsweredHosts } = await import("./http/answered-hosts.ts");
        const { createWebLoader } = await import("./http/web/load-web.ts");
        const buildInfo = await readBuildInfo();
        const { db } = store;
        const bearer = { reads: store.reads, now, noteUse: uses.note };
        const { sessions, ...callers } = traceCallers(
          {
            authenticate: (token) => authenticateBearer(bearer, token),
            authenticatePersonalToken: (token) => authenticatePersonalToken(bearer, token),
            sessions: createSessions({ db, now }),
          },
          tracing,
        );
        const knownBrowsers = createKnownBrowsers({ db, ring, now });
        const signIn = createSignIn({
          db,
          now,
          sessions,
          passwords,
          throttle: createSignInThrottle({ db, now }),
          knownBrowsers,
        });
        const toBaseUrl = (port: number) => config.baseUrl ?? toDefaultBaseUrl(config.host, port);
        const toHosts = (port: number) =>
          listAnsweredHosts({ baseUrl: toBaseUrl(port), bindHost: config.host, port });
        const openOAuth = (baseUrl: string) => {
          const { db, reads } = store;
          const { oauthClientDocuments: clientDocuments } = config;
          const oauth = createAuthorizationServer({
            baseUrl,
            db,
            reads,
            ring,
            now,
            log,
            clientDocuments,
          });
          resources.defer(async () => oauth.close());
          return oauth;
        };
        const people = { config, db, sessions, ring, now, log, metrics };
        const openSingleSignOn = await loadSingleSignOn(people);
        const loadWeb = createWebLoader({ log, now });
        const server = createHttpServer({
          host: config.host,
          port: config.port,
          drainMs: config.drainSeconds * 1000,
          onDrained: store.limitWaits,
          createApp: ({ port, isStopping }) =>
            createApp({
              readiness: createReadiness({ ...store, isStopping, now }),
              space,
              baseUrl: toBaseUrl(port),
              log,
              mcp: openMcp(buildInfo, toBaseUrl(port)),
              hosts: toHosts(port),
              isProxy: createTrustedProxies(config.trustedProxies),
              areMetricsLocal: areMetricsLocal(config),
              bodyBytes: config.budgetBodyBytes,
              changes,
              metrics,
              tracing,
              loadWeb,
              webhooks: {
                ...{ reads: store.reads, ring, now, counts, openWorkflows: openWorkflowsOnce },
                findCaller: (userId) => findCaller({ reads: store.reads }, userId),
                perMinute: config.workflowRequestsPerMinute,
              },
              channels: { openDoor: channels.openDoor, counts },
              readGauges: async () => ({
                ...(await countStored(db, now())),
                version: buildInfo.hub_version,
                pluginProcesses: plugins.countProcesses(),
                callsRunning: operations.countRunning(),
                runWritesWaiting: store.runs.countWaiting(),
                code: code.count(),
                embeddings: embeddings?.progress() ?? null,
                serversByVersion: await countServers(store, instance.id, now()),
                database: store.readStatus(),
                spans: tracing?.counts() ?? null,
                logLinesLost: log.readLoss().lines,
              }),
              authenticate: callers.authenticate,
              findPresentCaller: (token, caller) =>
                findPresentCaller({ ...bearer, db }, token, caller),
              oauth: openOAuth(toBaseUrl(port)),
              people: {
                sessions,
                signIn: countSignIns({ signIn, metrics }),
                ring,
                knownBrowsers,
                singleSignOn: openSingleSignOn(toBaseUrl(port)),
              },
              api: {
                authenticatePersonalToken: callers.authenticatePersonalToken,
                services,
                followPlugins: directory.followPlugins,
                hubVersion: buildInfo.hub_version,
                localUrl: toLocalUrl(config.host, port),
              },
            }),
        });
        resources.defer(() => server.stop());
        const { port } = server;
        const baseUrl = toBaseUrl(port);
        const holding = channels.hold(baseUrl);
        resources.defer(() => holding.stop());
        const localUrl = toLocalUrl(config.host, port);
        await opened.setAddress({ localUrl, baseUrl });
        resources.defer(
          await markServing({ config, ring: ring.current(), readHubId, now, log }, localUrl),
        );
        return { ...server, baseUrl, answeredHosts: [...toHosts(port).hosts] };
      },
      findServedBaseUrl,
      async serveStdio({ userId, command, ...streams }) {
        const findStdioCaller = async () =>
          userId === null ? localAdmin : await findCaller({ reads: store.reads }, userId);
        const mcp = openMcp(await readBuildInfo(), await findServedBaseUrl(), command);
        await mcp.serveStdio({ ...streams, findCaller: findStdioCaller });
      },
      async close() {
        store.limitWaits();
        try {
          await resources.disposeAsync();
        } catch (failure) {
          throw toCloseError(failure);
        }
      },
    };
  } catch (failure) {
    await resources.disposeAsync();
    throw failure;
  }
}

const metaToolNames: ReadonlySet<string> = new Set(metaTools.map(({ name }) => name));

async function openMetrics(startedAt: number): Promise<Metrics> {
  const { createPrometheusMetrics } = await import("./lib/prometheus-metrics.ts");
  return createPrometheusMetrics({ metaToolNames: [...metaToolNames], startedAt });
}

/** A trusted proxy names its client in a header, so requests without one are of programs of this machine. */
function areMetricsLocal({ baseUrl, trustedProxies }: Config): boolean {
  return baseUrl === null || isLoopbackHost(new URL(baseUrl).hostname) || trustedProxies.length > 0;
}
