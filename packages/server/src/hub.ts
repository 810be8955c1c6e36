import { tmpdir } from "node:os";
import type { ConnectorDefinition } from "@hub/connector";
import type { Config } from "./config.ts";
import { httpConnector } from "./connectors/builtin/http.ts";
import { defineHubConnector } from "./connectors/builtin/hub.ts";
import { createLocalConnector } from "./connectors/local-connector.ts";
import { type ConnectorRegistry, createConnectorRegistry } from "./connectors/registry.ts";
import { createRowDirectory } from "./connectors/row-directory.ts";
import { seedHubRow } from "./connectors/seed-hub-row.ts";
import { HubError } from "./errors.ts";
import type { HttpServer } from "./http/server.ts";
import { authenticateBearer, authenticatePersonalToken } from "./identity/authenticate-bearer.ts";
import { countSignIns, countSingleSignOn } from "./identity/count-sign-ins.ts";
import { findCaller } from "./identity/find-caller.ts";
import { localAdmin } from "./identity/local-admin.ts";
import { createPasswords } from "./identity/passwords.ts";
import { createSessions, idleMsMax, type Sessions } from "./identity/sessions.ts";
import { createSignIn } from "./identity/sign-in.ts";
import { createSignInThrottle } from "./identity/sign-in-throttle.ts";
import { createTokenUses, type TokenUses } from "./identity/token-uses.ts";
import { createCountJob } from "./jobs/count-runs.ts";
import { createJobs } from "./jobs/create-jobs.ts";
import { createTokenUseJob, flushTokenUses } from "./jobs/flush-token-uses.ts";
import { createMemoryJob, processMemory } from "./jobs/free-memory.ts";
import {
  createHeartbeatJob,
  createRecoveryJob,
  type Instance,
  openInstance,
} from "./jobs/keep-instance.ts";
import { createCancelJob } from "./jobs/obey-cancellations.ts";
import { createOAuthPurgeJob } from "./jobs/purge-oauth.ts";
import { createPurgeJob } from "./jobs/purge-runs.ts";
import { createSessionPurgeJob } from "./jobs/purge-sessions.ts";
import { toDefaultBaseUrl } from "./lib/bind-host.ts";
import { type BuildInfo, readBuildInfo } from "./lib/build-info.ts";
import { createClosers } from "./lib/closers.ts";
import type { Log } from "./lib/create-log.ts";
import { createTallies, type Tallies } from "./lib/tallies.ts";
import { systemTimers } from "./lib/timers.ts";
import { createTrustedProxies } from "./lib/trusted-proxies.ts";
import { type Actor, commandLineActor } from "./manager/actor.ts";
import type { Manager } from "./manager/create-manager.ts";
import type { FirstAdmin } from "./manager/first-start.ts";
import { createMcp } from "./mcp/mcp.ts";
import type { StdioOptions } from "./mcp/stdio.ts";
import { createCallLimiter } from "./operations/call-limits.ts";
import { countOutcomes } from "./operations/count-outcomes.ts";
import { createOperations } from "./operations/create-operations.ts";
import type { Operations } from "./operations/operations.ts";
import { checkUnchanged } from "./plugins/check-unchanged.ts";
import { findDefaultCatalog } from "./plugins/default-catalog.ts";
import { createPluginCatalog } from "./plugins/plugin-catalog.ts";
import { toPluginFolders } from "./plugins/plugin-folders.ts";
import { createPluginHost, type PluginHost } from "./plugins/plugin-host.ts";
import type { PluginRuntime } from "./plugins/plugin-runtime.ts";
import { loadPluginTrust } from "./plugins/plugin-trust.ts";
import { findHostPlatform } from "./plugins/verify/check-platform.ts";
import { createKeyRing, parseKeyList } from "./secrets/key-ring.ts";
import { createRingHolder, type RingHolder } from "./secrets/ring-holder.ts";
import { readStoredFigures } from "./store/figures.ts";
import { createKeyFile, readKeyFile } from "./store/key-file.ts";
import { openStore, type Store } from "./store/open-store.ts";
import { listRows } from "./store/rows.ts";
import { listStoredSettings } from "./store/settings.ts";
import type { InstanceKind } from "./store/tables.ts";
import { toLiveSettings } from "./stored-settings.ts";

export type HubOptions = {
  config: Config;
  /** What this process is: the server, a stdio session, or one command. */
  kind: InstanceKind;
  log: Log;
  /** Connectors of a downstream project, beside the built-in ones. */
  connectors?: readonly ConnectorDefinition[];
};

export type Hub = {
  config: Config;
  registry: ConnectorRegistry;
  operations: Operations;
  /**
   * What admins do, recorded as done by `actor`: the command line where none is given. Loaded when
   * first asked for: a stdio session starts without it.
   */
  openManager(actor?: Actor): Promise<Manager>;
  /** Makes the first admin; null where that was done before. Needs no manager, which is heavier. */
  makeFirstAdmin(): Promise<FirstAdmin | null>;
  /** Serves MCP over HTTP until `stop`. */
  serve(): Promise<RunningServer>;
  /**
   * Serves one MCP client over a pair of streams until its input ends: as the local admin, or as
   * the user with this e-mail.
   */
  serveStdio(session: StdioSession): Promise<void>;
  /** Finishes what is under way and closes everything, last opened first. */
  close(): Promise<void>;
};

export type RunningServer = HttpServer & {
  /** Where clients reach it, without a slash at the end. */
  baseUrl: string;
  /** The values of the Host header that it answers. */
  answeredHosts: string[];
};

export type StdioSession = Omit<StdioOptions, "findCaller"> & { user: string | null };

/** Builds a hub over its data folder. The only place where its parts are constructed. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, kind, log } = options;
  const closers = createClosers();
  const now = () => Date.now();
  const startedAt = now();
  const tallies = createTallies();
  try {
    const store = await openStore({ dataDir: config.dataDir, log });
    closers.add(() => store.close());
    await makeKeysAtFirst(config, store, log);
    const ring = await createRingHolder(() => loadRing(config));

    const registry = createConnectorRegistry();
    registry.register(createLocalConnector(httpConnector, () => ({})));
    registry.register(
      createLocalConnector(defineHubConnector(store), ({ caller }) => ({ caller })),
    );
    for (const connector of options.connectors ?? []) {
      registry.register(createLocalConnector(connector, () => ({})));
    }
    const plugins = openPlugins({ config, store, registry, log, now });
    closers.add(() => plugins.stop());
    const directory = createRowDirectory({
      reads: store.reads,
      registry,
      ring,
      followPlugins: () => plugins.list(),
      toSettings: (stored) => toLiveSettings(config, stored),
    });

    const locks = store.instanceLocks;
    const { instance, close: closeInstance } = await openInstance(
      { db: store.db, now, locks },
      kind,
    );
    closers.add(closeInstance);

    const operations = createOperations({
      registry,
      directory,
      ring,
      log,
      now,
      runs: countOutcomes({ runs: store.runs, tallies }),
      instanceId: instance.id,
      isMaskingEnabled: !config.encDisable,
      userLimiter: createCallLimiter({ subject: "You have", now }),
      rowLimiter: createCallLimiter({ subject: "The callers of this row have", now }),
      outboundAllow: config.outboundAllow,
      createRunId: () => Bun.randomUUIDv7(),
      logFailure: (report) => log.error(report, "a call failed"),
    });
    const openManager = async (actor = commandLineActor) => {
      const { createManager } = await import("./manager/create-manager.ts");
      return createManager({ store, ring, registry, operations, plugins, config, now, actor });
    };
    await seedHubRow({ store });
    await plugins.start({ staysOpen: kind !== "cli" });

    const uses = createTokenUses();
    closers.add(() => flushTokenUses({ db: store.db, uses }));
    closers.add(startJobs({ store, config, log, now, uses, operations }, instance));

    const openMcp = (buildInfo: BuildInfo, baseUrl: string) => {
      const { mcpSessions: sessionsMode } = config;
      const mcp = createMcp({ operations, log, buildInfo, baseUrl, sessionsMode });
      closers.add(() => mcp.close());
      return mcp;
    };

    return {
      config,
      registry,
      operations,
      openManager,
      async makeFirstAdmin() {
        const { makeFirstAdmin } = await import("./manager/first-start.ts");
        return await makeFirstAdmin({ store });
      },
      async serve() {
        // Loaded when first needed: commands and stdio start without it.
        const { createHttpServer } = await import("./http/server.ts");
        const { createApp } = await import("./http/routes.ts");
        const { createAuthorizationServer } = await import("./oauth/authorization-server.ts");
        const { listAnsweredHosts } = await import("./http/answered-hosts.ts");
        const buildInfo = await readBuildInfo();
        const { db } = store;
        const sessions = createSessions({ db, now });
        const signIn = createSignIn({
          db,
          sessions,
          passwords: createPasswords(),
          throttle: createSignInThrottle({ now }),
        });
        const bearer = { reads: store.reads, now, noteUse: uses.note };
        const authenticate = (token: string) => authenticateBearer(bearer, token);
        const toBaseUrl = (port: number) => config.baseUrl ?? toDefaultBaseUrl(config.host, port);
        const toHosts = (port: number) =>
          listAnsweredHosts({ baseUrl: toBaseUrl(port), bindHost: config.host, port });
        const openOAuth = (baseUrl: string) => {
          const { db, reads } = store;
          const oauth = createAuthorizationServer({ baseUrl, db, reads, ring, now, log });
          closers.add(async () => oauth.close());
          return oauth;
        };
        const people = { config, db, sessions, ring, now, log, tallies };
        const openSingleSignOn = await loadSingleSignOn(people);
        const server = createHttpServer({
          host: config.host,
          port: config.port,
          createApp: (port) =>
            createApp({
              baseUrl: toBaseUrl(port),
              log,
              mcp: openMcp(buildInfo, toBaseUrl(port)),
              hosts: toHosts(port),
              isProxy: createTrustedProxies(config.trustedProxies),
              tallies,
              readFigures: async () => ({
                ...(await readStoredFigures(db, now())),
                version: buildInfo.hub_version,
                pluginProcesses: plugins.countProcesses(),
                startedAt,
              }),
              authenticate,
              oauth: openOAuth(toBaseUrl(port)),
              people: {
                sessions,
                signIn: countSignIns({ signIn, tallies }),
                ring,
                singleSignOn: openSingleSignOn(toBaseUrl(port)),
              },
              api: {
                authenticatePersonalToken: (token) => authenticatePersonalToken(bearer, token),
                openManager,
                hubVersion: buildInfo.hub_version,
              },
            }),
        });
        closers.add(() => server.stop());
        const { port } = server;
        return { ...server, baseUrl: toBaseUrl(port), answeredHosts: [...toHosts(port).hosts] };
      },
      async serveStdio({ user, ...streams }) {
        const userId = user === null ? null : (await (await openManager()).users.show(user)).id;
        const findStdioCaller = async () =>
          userId === null ? localAdmin : await findCaller({ reads: store.reads }, userId);
        const baseUrl = config.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
        const mcp = openMcp(await readBuildInfo(), baseUrl);
        await mcp.serveStdio({ ...streams, findCaller: findStdioCaller });
      },
      close: () => closers.closeAll(),
    };
  } catch (failure) {
    await closers.closeAll();
    throw failure;
  }
}

/** Makes the key file that a new data folder lacks. */
async function makeKeysAtFirst(config: Config, store: Store, log: Log): Promise<void> {
  if (config.readEncKey() !== null || (await readKeyFile(config.dataDir)) !== null) return;
  await createKeyFile(config.dataDir);
  const rows = await listRows(store.db);
  if (rows.every(({ values }) => values.every(({ sealed }) => sealed === null))) return;
  // The hub still starts, so that whoever lost the keys can set the secrets anew.
  log.error(
    { folder: config.dataDir },
    "the key file was gone and a new one was made: stored secrets open with the old one only, so put it back, or set them anew",
  );
}

/** The master keys: those of the environment, else those of the key file. */
async function loadRing(config: Config) {
  const given = config.readEncKey();
  if (given !== null) return createKeyRing(parseKeyList(given));
  const keys = await readKeyFile(config.dataDir);
  if (keys !== null) return createKeyRing(keys);
  // Made at the first start only: a key that vanished later must not be replaced in silence.
  throw new HubError(
    "bad_configuration",
    `The key file in ${config.dataDir} is gone, and stored secrets need it. Put it back.`,
  );
}

type SingleSignOnParts = {
  config: Config;
  db: Store["db"];
  sessions: Pick<Sessions, "open">;
  ring: RingHolder;
  now: () => number;
  log: Log;
  tallies: Tallies;
};

/** How to open the single sign-on under a base address; loaded where the settings name a provider. */
async function loadSingleSignOn({ config, ring, log, tallies, ...parts }: SingleSignOnParts) {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === null || clientId === null) return () => null;
  const { createRelyingParty } = await import("./identity/sso/relying-party.ts");
  const { createSingleSignOn, ssoCallbackPath } = await import("./identity/sso/single-sign-on.ts");
  const settings = { issuer, clientId, readClientSecret: config.readOidcClientSecret };
  return (baseUrl: string) => {
    const redirectUri = `${baseUrl}${ssoCallbackPath}`;
    const singleSignOn = createSingleSignOn({
      ...parts,
      name: config.oidcName,
      relyingParty: createRelyingParty({
        settings,
        redirectUri,
        trustsEmail: config.oidcTrustEmail,
        ring,
        log,
        now: parts.now,
      }),
      allowedDomains: config.oidcAllowedDomains,
      newUsers: config.oidcNewUsers,
    });
    return countSingleSignOn({ singleSignOn, issuer, tallies, log });
  };
}

type PluginParts = {
  config: Config;
  store: Store;
  registry: ConnectorRegistry;
  log: Log;
  now: () => number;
};

/** The plugin host, with what runs plugins loaded once there is one. */
function openPlugins(parts: PluginParts): PluginHost & { countProcesses(): number } {
  const { config, store, registry, log, now } = parts;
  const get = { outboundAllow: config.outboundAllow };
  let runtime: PluginRuntime | null = null;
  const host = createPluginHost({
    dataDir: config.dataDir,
    db: store.db,
    registry,
    get,
    log,
    now,
    verify: {
      trust: loadPluginTrust(config),
      hostPlatform: findHostPlatform(),
      reservedKeys: new Set(registry.list().map(({ key }) => key)),
    },
    catalog: createPluginCatalog({
      ...get,
      location: config.pluginCatalog ?? findDefaultCatalog(),
      cwd: process.cwd(),
      now,
    }),
    async createConnector(plugin) {
      const { createPluginRuntime } = await import("./plugins/plugin-runtime.ts");
      runtime ??= createPluginRuntime({
        log,
        timers: systemTimers,
        env: process.env,
        systemTmp: tmpdir(),
        procsMax: config.pluginProcsMax,
        toHomeDir: ({ key }) => toPluginFolders(config.dataDir).homeOf(key),
        checkUnchanged,
      });
      return runtime.createConnector(plugin);
    },
    release: (key, next) => runtime?.release(key, next),
  });
  return {
    ...host,
    countProcesses: () => runtime?.listProcesses().length ?? 0,
    async stop() {
      await host.stop();
      await runtime?.stop();
    },
  };
}

type JobParts = {
  store: Store;
  config: Config;
  log: Log;
  now: () => number;
  uses: TokenUses;
  operations: Pick<Operations, "cancel">;
};

/** Starts what a process does now and then; returns how to stop it. */
function startJobs(parts: JobParts, instance: Instance) {
  const { store, config, log, now, uses, operations } = parts;
  const jobs = createJobs({
    onFailure: (job, err) => log.error({ job, err }, "a periodic job failed; it runs again later"),
  });
  const { db, instanceLocks: locks } = store;
  let isClosing = false;
  jobs.start(createHeartbeatJob({ db, now, locks }, instance));
  jobs.start(createCancelJob({ db, cancel: operations.cancel }));
  // One command is not there to keep house, but a call that it makes may be a long one.
  if (instance.kind === "cli") return () => jobs.stop();
  jobs.start(createRecoveryJob({ db, now, locks }, instance));
  jobs.start(createTokenUseJob({ db, uses }));
  jobs.start(createOAuthPurgeJob({ db, now }));
  jobs.start(createSessionPurgeJob({ db, now, idleMsMax }));
  jobs.start(createMemoryJob({ memory: processMemory }));
  jobs.start(createCountJob({ db, now, isClosing: () => isClosing }));
  jobs.start(
    createPurgeJob({
      db,
      now,
      readRetentionDays: async () =>
        toLiveSettings(config, await listStoredSettings(db)).auditRetentionDays,
      isClosing: () => isClosing,
    }),
  );
  return async () => {
    isClosing = true;
    await jobs.stop();
  };
}
