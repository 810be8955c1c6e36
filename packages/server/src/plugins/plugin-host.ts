import { lstat, mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { suggest } from "@hub/connector";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { Db } from "../store/database.ts";
import { listDisabledPlugins, notePluginChange, setPluginState } from "../store/plugin-states.ts";
import type { ThisHub } from "./choose-build.ts";
import type { GetDeps } from "./guarded-get.ts";
import type { UploadedArchive } from "./install/find-source.ts";
import { defaultInstallLimits, type InstallLimits } from "./install/install-limits.ts";
import type { InstallDeps, InstallOptions, InstallProgress } from "./install/install-plugin.ts";
import { describeOtherSource } from "./install/update-source.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";
import { createInstalledPlugins } from "./installed-plugins.ts";
import { createJointWork, type JointWork } from "./joint-work.ts";
import type { LoadedCatalog, PluginCatalog } from "./plugin-catalog.ts";
import { listPluginNames, toPluginFolders } from "./plugin-folders.ts";
import { createProgramRecords } from "./program-records.ts";
import { pruneVersions } from "./prune-versions.ts";
import { removeFiles } from "./remove-files.ts";
import { createRemovedPlugins } from "./removed-plugins.ts";
import { createDatabaseInstalls } from "./shared/database-installs.ts";
import { createFolderInstalls } from "./shared-installs.ts";
import { createRegistrySync, type PluginState, type SyncLog, unshared } from "./sync-registry.ts";
import type { VerifyDeps } from "./verify/verify-plugin.ts";
import { watchPlugins } from "./watch-plugins.ts";

export type PluginHostDeps = {
  dataDir: string;
  db: Db;
  registry: ConnectorRegistry;
  verify: VerifyDeps;
  /** Reserved keys that installed plugins keep. They are refused at their next install. */
  keptKeys?: ReadonlySet<string>;
  get: GetDeps;
  catalog: PluginCatalog;
  createConnector(plugin: InstalledPlugin): Promise<RegisteredConnector>;
  release(key: string, next: InstalledPlugin | null): void;
  log: SyncLog & { error(fields: Record<string, unknown>, message: string): void };
  now(): number;
  limits?: InstallLimits;
  /** Whether the database says what is installed, for servers with different folders. */
  keepsInDatabase?: boolean;
};

type StartOptions = {
  staysOpen: boolean;
  /** The id of this process in the database. */
  instanceId?: string;
};

export type PluginHost = {
  /**
   * Registers the installed plugins. With `staysOpen` it first fetches those that other servers have
   * installed, for some time at most, and then watches for changes.
   */
  start(options: StartOptions): Promise<void>;
  stop(): Promise<void>;
  install(source: string | UploadedArchive, options: InstallOptions): Promise<PluginState>;
  /** Does the same work of several callers of this process once. */
  join: JointWork<InstallProgress>;
  enable(key: string): Promise<PluginState>;
  disable(key: string): Promise<PluginState>;
  /**
   * Removes a plugin. Its rows stay, and its program's data stays unless `withData` is set. With
   * `withData` it also deletes the data of a plugin that was removed before.
   */
  remove(key: string, options?: { withData?: boolean }): Promise<PluginState>;
  /** Updates the registry to the installed and enabled plugins, also those of other processes. */
  sync(): Promise<void>;
  /**
   * Fetches what other servers have installed and removes what they have removed. Does nothing on
   * SQLite, where all processes use one folder.
   */
  follow(): Promise<void>;
  /** Every plugin folder, by key. Read-only. */
  list(): Promise<PluginState[]>;
  find(key: string): Promise<PluginState>;
  loadCatalog(): Promise<LoadedCatalog>;
  /** Why this hub has no catalog, and what to do; null if it has one. */
  findCatalogAbsence(): Promise<string | null>;
  findOffer(key: string): Promise<CatalogEntry>;
  /**
   * Where an installed plugin came from, if that is not the catalog: only from there is an update of it. Null for one
   * of the catalog.
   */
  findOtherSource(key: string): Promise<string | null>;
  thisHub: ThisHub;
};

const pollMs = 2000;
/** Calls of plugins that are not there by then fail with `plugin_unavailable` until they are. */
const startFetchMsMax = 30_000;

export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const { db, now, limits = defaultInstallLimits } = deps;
  const folders = toPluginFolders(deps.dataDir);
  const createId = () => Bun.randomUUIDv7("hex", now());
  const folderName = deps.keepsInDatabase ? nameFolder(deps.dataDir) : null;
  const records = createProgramRecords({ db, folderName, now });
  const removed = createRemovedPlugins(db);
  const { keptKeys = new Set() } = deps;
  const verifyInstalled = {
    ...deps.verify,
    reservedKeys: new Set([...deps.verify.reservedKeys].filter((key) => !keptKeys.has(key))),
  };
  const installed = createInstalledPlugins({ folders, verify: verifyInstalled, records });
  let instanceId: string | null = null;
  const installs = deps.keepsInDatabase
    ? createDatabaseInstalls({
        ...{ db, folders, verify: verifyInstalled, limits, createId, log: deps.log, now, records },
        scan: installed.scan,
        installFromCatalog: async ({ key, version }, signal) => {
          const offer = await deps.catalog.find(key);
          if (offer.version !== version) throw refuseOtherVersion(offer, version);
          await installFiles(key, { key, version, cwd: "/", signal });
        },
        onChange: () => syncRegistry(),
        findInstanceId: () => instanceId,
      })
    : createFolderInstalls({ folders, installed });
  const registrySync = createRegistrySync({
    installed: installs,
    registry: deps.registry,
    listDisabled: () => listDisabledPlugins(db),
    createConnector: deps.createConnector,
    release: deps.release,
    log: deps.log,
  });

  // One at a time: two at once would both register a new plugin.
  let last: Promise<unknown> = Promise.resolve();
  const syncRegistry = (): Promise<PluginState[]> => {
    const next = last.then(registrySync.run);
    last = next.catch(() => {});
    return next;
  };
  const { list } = registrySync;

  const watch = watchPlugins({
    folder: folders.root,
    everyMs: pollMs,
    async sync() {
      await syncRegistry();
      await installs.follow();
      await pruneVersions(folders, now());
    },
    onFailure: (err) => deps.log.error({ err }, "Scanning the plugins failed; the hub tries again"),
  });

  const find = async (key: string): Promise<PluginState> => {
    const states = await list();
    const state = states.find((each) => each.key === key);
    if (state !== undefined) return state;
    const keys = states.map((each) => each.key);
    throw new HubError("not_found", `No plugin "${key}" is installed.${suggest(key, keys)}`);
  };

  /** Like `find`, also for a plugin that was removed but left its data. */
  const findWithData = async (key: string): Promise<PluginState> => {
    // Only valid keys may be used in a path.
    const home = pluginKeyPattern.test(key) ? folders.homeOf(key) : null;
    const hasData = home !== null && (await lstat(home).catch(() => null)) !== null;
    const isThere = (await list()).some((state) => state.key === key);
    if (isThere || !hasData) return await find(key);
    return { key, plugin: null, enabled: false, problem: null, ...unshared };
  };

  const installFiles = async (source: string | UploadedArchive, options: InstallOptions) => {
    // Loads the archive readers on first use.
    const { installPlugin } = await import("./install/install-plugin.ts");
    const { verify, get, catalog } = deps;
    const parts: InstallDeps = {
      ...{ folders, installs, removed, verify, get, catalog, limits, createId },
    };
    return await installPlugin(parts, source, options);
  };

  /** Imported on demand, because most starts have nothing to migrate. */
  const migrate = async (): Promise<void> => {
    if ((await listPluginNames(folders)).length === 0) return;
    const { migrateLayouts } = await import("./install/migrate-layout.ts");
    await migrateLayouts({ folders, verify: verifyInstalled, createId, log: deps.log });
  };

  const setDisabled = async (key: string, disabled: boolean): Promise<PluginState> => {
    await find(key);
    await setPluginState(db, key, disabled);
    await syncRegistry();
    return await find(key);
  };

  /** A plugin that was disabled and removed is enabled when it is installed again. */
  const enableFresh = async (key: string): Promise<void> => {
    if ((await listDisabledPlugins(db)).has(key)) await setPluginState(db, key, false);
  };

  return {
    thisHub: deps.verify,
    async start({ staysOpen, instanceId: id = null }) {
      instanceId = id;
      await migrate();
      await syncRegistry();
      if (!staysOpen) return;
      // Without the folder there is no watch, and the first install would wait for a poll.
      await mkdir(folders.root, { recursive: true, mode: 0o700 });
      const fetching = installs.follow().catch((err) => {
        deps.log.error({ err }, "Fetching the installed plugins failed; the hub tries again");
      });
      await Promise.race([fetching, wait(startFetchMsMax, null, { ref: false })]);
      watch.start();
    },
    async stop() {
      await installs.stop();
      await watch.stop();
      await last;
    },
    async install(source, options) {
      const before = new Set((await list()).map(({ key }) => key));
      const { key } = await installFiles(source, options);
      // An update does not enable a disabled plugin.
      if (!before.has(key)) await enableFresh(key);
      await pruneVersions(folders, now());
      await syncRegistry();
      const state = await find(key);
      // Last, because a running hub that watches the folder has verified the plugin by then.
      await notePluginChange(db);
      return state;
    },
    enable: (key) => setDisabled(key, false),
    disable: (key) => setDisabled(key, true),
    async remove(key, { withData = false } = {}) {
      const state = withData ? await findWithData(key) : await find(key);
      await removed.note(key, await installs.findInstalled(key));
      await installs.withdraw(key);
      await removeFiles(folders, { key, id: createId(), withData });
      await enableFresh(key);
      await syncRegistry();
      await records.delete(key);
      await notePluginChange(db);
      return state;
    },
    async sync() {
      await syncRegistry();
    },
    follow: installs.follow,
    list,
    find,
    join: createJointWork(),
    findCatalogAbsence: () => deps.catalog.findAbsence(),
    loadCatalog: () => deps.catalog.load(),
    findOffer: (key) => deps.catalog.find(key),
    async findOtherSource(key) {
      const version = await installs.findInstalled(key);
      return version === null ? null : describeOtherSource(version, deps.catalog.location());
    },
  };
}

/** The same for each start on a machine. */
function nameFolder(dataDir: string): string {
  return Bun.SHA256.hash(`${hostname()}\n${dataDir}`, "hex").slice(0, 32);
}

function refuseOtherVersion({ key, version }: CatalogEntry, wanted: string): HubError {
  return new HubError(
    "plugin_refused",
    `The catalog has version ${version} of ${key}, not ${wanted}.`,
  );
}
