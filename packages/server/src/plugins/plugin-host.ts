import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { suggest } from "@hub/connector";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import { listDisabledPlugins, notePluginChange, setPluginState } from "../store/plugin-states.ts";
import type { Db } from "../store/tables.ts";
import type { GetDeps } from "./guarded-get.ts";
import { defaultInstallLimits, type InstallLimits } from "./install/install-limits.ts";
import type { InstallDeps, InstallOptions } from "./install/install-plugin.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";
import { createInstalledPlugins } from "./installed-plugins.ts";
import type { LoadedCatalog, PluginCatalog } from "./plugin-catalog.ts";
import { listPluginNames, toPluginFolders } from "./plugin-folders.ts";
import { createProgramRecords } from "./program-records.ts";
import { pruneVersions } from "./prune-versions.ts";
import { createRegistrySync, type PluginState, type SyncLog } from "./sync-registry.ts";
import type { VerifyDeps } from "./verify/verify-plugin.ts";
import { watchPlugins } from "./watch-plugins.ts";

export type PluginHostDeps = {
  dataDir: string;
  db: Db;
  registry: ConnectorRegistry;
  verify: VerifyDeps;
  get: GetDeps;
  catalog: PluginCatalog;
  createConnector(plugin: InstalledPlugin): Promise<RegisteredConnector>;
  release(key: string, next: InstalledPlugin | null): void;
  log: SyncLog & { error(fields: Record<string, unknown>, message: string): void };
  now(): number;
  limits?: InstallLimits;
};

export type PluginHost = {
  /** Registers what is installed; a process that stays goes on watching. */
  start(options: { staysOpen: boolean }): Promise<void>;
  stop(): Promise<void>;
  install(source: string, options: InstallOptions): Promise<PluginState>;
  enable(key: string): Promise<PluginState>;
  disable(key: string): Promise<PluginState>;
  /**
   * Its rows stay, and what its program stored stays unless `withData`: both come back with it. With
   * it, also for a plugin that was removed before and left its data.
   */
  remove(key: string, options?: { withData?: boolean }): Promise<PluginState>;
  /** Makes the registry hold what is installed and enabled now, by whichever process. */
  sync(): Promise<void>;
  /** Every folder of the plugins' folder, by key. Changes nothing. */
  list(): Promise<PluginState[]>;
  find(key: string): Promise<PluginState>;
  loadCatalog(): Promise<LoadedCatalog>;
  findOffer(key: string): Promise<CatalogEntry>;
  hostPlatform: string;
};

const pollMs = 2000;

export function createPluginHost(deps: PluginHostDeps): PluginHost {
  const { db, now } = deps;
  const folders = toPluginFolders(deps.dataDir);
  const createId = () => Bun.randomUUIDv7("hex", now());
  const records = createProgramRecords(db);
  const registrySync = createRegistrySync({
    installed: createInstalledPlugins({ folders, verify: deps.verify, records }),
    registry: deps.registry,
    listDisabled: () => listDisabledPlugins(db),
    createConnector: deps.createConnector,
    release: deps.release,
    log: deps.log,
  });

  // Two at a time would both register what is new.
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
      await pruneVersions(folders, now());
    },
    onFailure: (err) => deps.log.error({ err }, "looking at the plugins failed; it is tried again"),
  });

  const find = async (key: string): Promise<PluginState> => {
    const states = await list();
    const state = states.find((each) => each.key === key);
    if (state !== undefined) return state;
    const keys = states.map((each) => each.key);
    throw new HubError("not_found", `There is no plugin "${key}" installed.${suggest(key, keys)}`);
  };

  /** Also finds what a plugin left that is not installed any more. */
  const findWithData = async (key: string): Promise<PluginState> => {
    // Only what can be a key may become a path.
    const home = pluginKeyPattern.test(key) ? folders.homeOf(key) : null;
    const hasData = home !== null && (await lstat(home).catch(() => null)) !== null;
    const isThere = (await list()).some((state) => state.key === key);
    if (isThere || !hasData) return await find(key);
    return { key, plugin: null, enabled: false, problem: null };
  };

  /** Most starts have nothing to lay out, and none of what does it to load. */
  const layOut = async (): Promise<void> => {
    if ((await listPluginNames(folders)).length === 0) return;
    const { layOutAnew } = await import("./install/lay-out-anew.ts");
    await layOutAnew({ folders, verify: deps.verify, createId, log: deps.log });
  };

  const setDisabled = async (key: string, disabled: boolean): Promise<PluginState> => {
    await find(key);
    await setPluginState(db, key, disabled);
    await syncRegistry();
    return await find(key);
  };

  /** What was switched off before it was removed comes back switched on. */
  const enableFresh = async (key: string): Promise<void> => {
    if ((await listDisabledPlugins(db)).has(key)) await setPluginState(db, key, false);
  };

  return {
    hostPlatform: deps.verify.hostPlatform,
    async start({ staysOpen }) {
      await layOut();
      await syncRegistry();
      if (!staysOpen) return;
      // A watch needs the folder: without it, the first install would wait for a poll.
      await mkdir(folders.root, { recursive: true, mode: 0o700 });
      watch.start();
    },
    async stop() {
      await watch.stop();
      await last;
    },
    async install(source, options) {
      // Archive readers are loaded when something is to be read.
      const { installPlugin } = await import("./install/install-plugin.ts");
      const { verify, get, catalog, limits = defaultInstallLimits } = deps;
      const parts: InstallDeps = { folders, verify, get, catalog, limits, createId };
      const before = new Set((await list()).map(({ key }) => key));
      const { key } = await installPlugin(parts, source, options);
      // An update of one that is switched off leaves it so.
      if (!before.has(key)) await enableFresh(key);
      await pruneVersions(folders, now());
      await syncRegistry();
      const state = await find(key);
      // Comes last: by then, a running hub that watches the folder has verified it by itself.
      await notePluginChange(db);
      return state;
    },
    enable: (key) => setDisabled(key, false),
    disable: (key) => setDisabled(key, true),
    async remove(key, { withData = false } = {}) {
      const state = withData ? await findWithData(key) : await find(key);
      const trash = join(folders.staging, createId());
      await mkdir(trash, { recursive: true, mode: 0o700 });
      try {
        // One rename takes it out of sight; what takes time comes after.
        await moveIfThere(folders.link(key), join(trash, "link"));
        await moveIfThere(folders.versionsOf(key), join(trash, "versions"));
        if (withData) await moveIfThere(folders.homeOf(key), join(trash, "home"));
      } finally {
        await rm(trash, { recursive: true, force: true });
      }
      await enableFresh(key);
      await syncRegistry();
      await records.delete(key);
      await notePluginChange(db);
      return state;
    },
    async sync() {
      await syncRegistry();
    },
    list,
    find,
    loadCatalog: () => deps.catalog.load(),
    findOffer: (key) => deps.catalog.find(key),
  };
}

async function moveIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((err) => {
    if (err.code !== "ENOENT") throw err;
  });
}
