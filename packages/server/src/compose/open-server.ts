import type { ChangeLimit } from "../changes/change-limit.ts";
import type { Config } from "../config.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import type { AppDeps } from "../http/app.ts";
import { listAnsweredHosts } from "../http/guards/answered-hosts.ts";
import { createReadiness } from "../http/readiness.ts";
import { createApp } from "../http/routes.ts";
import { createHttpServer, type HttpServer } from "../http/server.ts";
import { createWebLoader } from "../http/web/load-web.ts";
import { countSignIns } from "../identity/count-sign-ins.ts";
import { findAdmitted } from "../identity/find-admitted.ts";
import { findCaller } from "../identity/find-caller.ts";
import { findPresentCaller } from "../identity/find-present-caller.ts";
import type { Passwords } from "../identity/password-hashes.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import type { OpenInstance } from "../jobs/keep-instance.ts";
import type { ProgramLog } from "../lib/logs/create-log.ts";
import type { Gauges, Metrics } from "../lib/metrics/metrics.ts";
import { isLoopbackHost, toDefaultBaseUrl, toLocalUrl } from "../lib/network/bind-host.ts";
import { createTrustedProxies } from "../lib/network/trusted-proxies.ts";
import { type BuildInfo, readBuildInfo } from "../lib/process/build-info.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { createAuthorizationServer } from "../oauth/authorization-server.ts";
import type { Operations } from "../operations/ports.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import { describeForwarder } from "../services/doctor/check-proxies.ts";
import type { ServiceDeps } from "../services/service-deps.ts";
import { countStored } from "../store/count-stored.ts";
import { recordForwarder } from "../store/servers/last-forwarder.ts";
import { countServers } from "../store/servers/running-servers.ts";
import type { Store } from "../store/store.ts";
import { hasPasskeys } from "../store/users/second-factors-table.ts";
import { loadSingleSignOn } from "./load-single-sign-on.ts";
import { markServing } from "./mark-serving.ts";
import type { ChannelHost } from "./open-channels.ts";
import type { openCodeRunner } from "./open-code-runner.ts";
import { openIdentity } from "./open-identity.ts";
import type { OpenedOperations } from "./open-operations.ts";
import type { openPlugins } from "./open-plugins.ts";
import type { OpenedProvider } from "./open-provider.ts";

type ServerParts = Pick<OpenedOperations, "embeddings" | "space"> & {
  config: Config;
  store: Store;
  log: ProgramLog;
  metrics: Metrics;
  tracing: Tracing | null;
  ring: RingHolder;
  directory: RowDirectory;
  operations: Operations;
  plugins: ReturnType<typeof openPlugins>;
  code: ReturnType<typeof openCodeRunner>;
  channels: ChannelHost;
  services: ServiceDeps;
  changes: ChangeLimit;
  passwords: Passwords;
  uses: TokenUses;
  provider: OpenedProvider | null;
  /** The registration of this process. */
  opened: Pick<OpenInstance, "instance" | "setAddress">;
  now: () => number;
  readHubId(): Promise<string>;
  openMcp(buildInfo: BuildInfo, baseUrl: string): Mcp;
};

export type RunningServer = HttpServer & {
  /** Its address for clients, without a trailing slash. */
  baseUrl: string;
  /** The accepted values of the Host header. */
  answeredHosts: string[];
};

/** Starts to serve HTTP: listens, holds the channels, and records where this server is. */
export async function openServer(
  parts: ServerParts,
  resources: AsyncDisposableStack,
): Promise<RunningServer> {
  const { config, store, log, ring, channels, opened, readHubId, now } = parts;
  const toBaseUrl = (port: number) => config.baseUrl ?? toDefaultBaseUrl(config.host, port);
  const toHosts = (port: number) =>
    listAnsweredHosts({ baseUrl: toBaseUrl(port), bindHost: config.host, port });
  const toAppDeps = await prepareApp(parts, resources);
  const server = createHttpServer({
    host: config.host,
    port: config.port,
    drainMs: config.drainSeconds * 1000,
    onDrained: store.limitWaits,
    createApp: ({ port, isStopping }) =>
      createApp(
        toAppDeps({
          baseUrl: toBaseUrl(port),
          localUrl: toLocalUrl(config.host, port),
          hosts: toHosts(port),
          isStopping,
        }),
      ),
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
}

/** Where the app is served, which is known when the server listens. */
type Served = Pick<AppDeps, "baseUrl" | "hosts"> & {
  /** Its address on this machine. */
  localUrl: string;
  isStopping(): boolean;
};

/** Loads what the routes need before the server listens. */
async function prepareApp(
  parts: ServerParts,
  resources: AsyncDisposableStack,
): Promise<(served: Served) => AppDeps> {
  const { config, store, log, metrics, tracing, ring, channels, services, now } = parts;
  const { db, reads } = store;
  const buildInfo = await readBuildInfo();
  const { provider } = parts;
  const watch = provider?.watch ?? null;
  const identity = openIdentity({ ...parts, watch });
  const { sessions, signIn, knownBrowsers, bearer, factorSignIn } = identity;
  const openSingleSignOn = await loadSingleSignOn({
    config,
    db,
    sessions,
    ring,
    now,
    log,
    metrics,
    provider,
  });
  const loadWeb = createWebLoader({ log, now });
  return ({ baseUrl, localUrl, hosts, isStopping }) => ({
    readiness: createReadiness({ ...store, isStopping, now }),
    space: parts.space,
    baseUrl,
    log,
    mcp: parts.openMcp(buildInfo, baseUrl),
    hosts,
    isProxy: createTrustedProxies(config.trustedProxies),
    recordForwarder(ip) {
      log.warn({ ip }, describeForwarder(ip));
      // For the doctor, which can be another process.
      recordForwarder(db, { ip, at: now() }).catch((err: unknown) =>
        log.warn({ err }, "The address of an unknown proxy could not be stored"),
      );
    },
    areMetricsLocal: areMetricsLocal(config),
    bodyBytes: config.budgetBodyBytes,
    changes: parts.changes,
    metrics,
    tracing,
    loadWeb,
    webhooks: {
      reads,
      ring,
      now,
      counts: store.callCounts,
      openWorkflows: services.openWorkflows,
      findCaller: (userId) => findAdmitted(watch, () => findCaller({ reads }, userId)),
      perMinute: config.workflowRequestsPerMinute,
    },
    channels: { openDoor: channels.openDoor, counts: store.callCounts },
    readGauges: () => readGauges(parts, buildInfo),
    authenticate: identity.authenticate,
    findPresentCaller: (token, caller) =>
      findAdmitted(watch, () => findPresentCaller({ ...bearer, db }, token, caller)),
    oauth: openOAuth(parts, baseUrl, resources),
    people: {
      sessions,
      signIn: countSignIns({ signIn, metrics }),
      ring,
      knownBrowsers,
      factorSignIn,
      hasPasskeys: () => hasPasskeys(db),
      singleSignOn: openSingleSignOn(baseUrl),
    },
    api: {
      authenticatePersonalToken: identity.authenticatePersonalToken,
      services,
      followPlugins: parts.directory.followPlugins,
      hubVersion: buildInfo.hub_version,
      localUrl,
    },
  });
}

function openOAuth(
  { config, store, ring, now, log }: ServerParts,
  baseUrl: string,
  resources: AsyncDisposableStack,
) {
  const { db, reads } = store;
  const { oauthClientDocuments: clientDocuments, outboundAllow } = config;
  const oauth = createAuthorizationServer({
    baseUrl,
    db,
    reads,
    ring,
    now,
    log,
    clientDocuments,
    outboundAllow,
  });
  resources.defer(async () => oauth.close());
  return oauth;
}

/** What the metrics show of this moment. */
async function readGauges(
  parts: ServerParts,
  buildInfo: BuildInfo,
): Promise<Omit<Gauges, "requests">> {
  const { store, plugins, operations, code, embeddings, tracing, log, opened, now } = parts;
  return {
    ...(await countStored(store.db, now())),
    version: buildInfo.hub_version,
    pluginProcesses: plugins.countProcesses(),
    callsRunning: operations.running.count(),
    runWritesWaiting: store.runs.countWaiting(),
    code: code.count(),
    embeddings: embeddings?.progress() ?? null,
    serversByVersion: await countServers(store, opened.instance.id, now()),
    database: store.readStatus(),
    spans: tracing?.counts() ?? null,
    logLinesLost: log.readLoss().lines,
  };
}

/** A trusted proxy names its client in a header, so requests without one are of programs of this machine. */
function areMetricsLocal({ baseUrl, trustedProxies }: Config): boolean {
  return baseUrl === null || isLoopbackHost(new URL(baseUrl).hostname) || trustedProxies.length > 0;
}
