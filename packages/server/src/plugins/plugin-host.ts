import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { Db } from "../store/database/database.ts";
import { listDisabledPlugins } from "../store/plugins/plugin-states.ts";
import type { GetDeps } from "./catalog/guarded-get.ts";
import type { PluginCatalog } from "./catalog/plugin-catalogs.ts";
import type { UploadedArchive } from "./install/find-install-source.ts";
import { defaultInstallLimits, type InstallLimits } from "./install/install-limits.ts";
import type { InstallDeps, InstallOptions } from "./install/install-plugin.ts";
import type { migrateLayouts } from "./install/migrate-layout.ts";
import { describeOtherSource } from "./install/update-source.ts";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import { createInstalledPlugins } from "./installed/installed-plugins.ts";
import { listPluginNames, toPluginFolders } from "./installed/plugin-folders.ts";
import { createPluginInventory } from "./installed/plugin-inventory.ts";
import { createProgramRecords } from "./installed/program-records.ts";
import { pruneVersions } from "./installed/prune-versions.ts";
import { createRemovedPlugins } from "./installed/removed-plugins.ts";
import { createJointWork } from "./joint-work.ts";
import { createPluginChanges } from "./plugin-changes.ts";
import type { PluginHost } from "./plugin-host-port.ts";
import { createDatabaseInstalls } from "./shared/database-installs.ts";
import { createFolderInstalls, type SharedInstalls } from "./shared-installs.ts";
import { createRegistrySync, type SyncLog } from "./sync-registry.ts";
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
  const verifyInstalled = toInstalledVerify(deps);
  const installed = createInstalledPlugins({ folders, verify: verifyInstalled, records });
  let instanceId: string | null = null;
  const installs = deps.keepsInDatabase
    ? createDatabaseInstalls({
        db,
        folders,
        verify: verifyInstalled,
        limits,
        createId,
        log: deps.log,
        now,
        records,
        scan: installed.scan,
        installFromCatalog: async ({ key, version }, signal) => {
          const offer = await deps.catalog.find(key);
          if (offer.version !== version) throw refuseOtherVersion(offer, version);
          await installFiles(key, { key, version, cwd: "/", signal });
        },
        onChange: () => inventory.sync(),
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

  const inventory = createPluginInventory(folders, registrySync);

  const watch = watchPlugins({
    folder: folders.root,
    everyMs: pollMs,
    async sync() {
      await inventory.sync();
      await installs.follow();
      await pruneVersions(folders, now());
    },
    onFailure: (err) => deps.log.error({ err }, "Scanning the plugins failed; the hub tries again"),
  });

  const installFiles: InstallFiles = (source, options) => {
    const { verify, get, catalog } = deps;
    const parts = { folders, installs, removed, verify, get, catalog, limits, createId };
    return installByArchive(parts, source, options);
  };

  return {
    thisHub: deps.verify,
    async start({ staysOpen, instanceId: id = null }) {
      instanceId = id;
      await migrate({ folders, verify: verifyInstalled, createId, log: deps.log });
      await inventory.sync();
      if (!staysOpen) return;
      // Without the folder there is no watch, and the first install would wait for a poll.
      await mkdir(folders.root, { recursive: true, mode: 0o700 });
      await fetchAtStart(installs, deps.log);
      watch.start();
    },
    async stop() {
      await installs.stop();
      await watch.stop();
      await inventory.untilIdle();
    },
    ...createPluginChanges({
      db,
      now,
      createId,
      folders,
      inventory,
      installs,
      removed,
      records,
      installFiles,
    }),
    async sync() {
      await inventory.sync();
    },
    follow: installs.follow,
    list: inventory.list,
    find: inventory.find,
    join: createJointWork(),
    findCatalogAbsence: () => deps.catalog.findAbsence(),
    loadCatalog: () => deps.catalog.load(),
    findOffer: (key) => deps.catalog.find(key),
    findOtherSource: async (key) =>
      describeOtherSource(await installs.findInstalled(key), deps.catalog.location()),
  };
}

/** Fetches what other servers have installed, for a while. */
async function fetchAtStart(
  installs: Pick<SharedInstalls, "follow">,
  log: PluginHostDeps["log"],
): Promise<void> {
  const fetching = installs.follow().catch((err) => {
    log.error({ err }, "Fetching the installed plugins failed; the hub tries again");
  });
  await Promise.race([fetching, wait(startFetchMsMax, null, { ref: false })]);
}

type InstallFiles = (
  source: string | UploadedArchive,
  options: InstallOptions,
) => ReturnType<typeof installByArchive>;

/** Loads the archive readers on first use. */
async function installByArchive(
  parts: InstallDeps,
  source: string | UploadedArchive,
  options: InstallOptions,
) {
  const { installPlugin } = await import("./install/install-plugin.ts");
  return await installPlugin(parts, source, options);
}

/** Imported on demand, because most starts have nothing to migrate. */
async function migrate(parts: Parameters<typeof migrateLayouts>[0]): Promise<void> {
  if ((await listPluginNames(parts.folders)).length === 0) return;
  const layouts = await import("./install/migrate-layout.ts");
  await layouts.migrateLayouts(parts);
}

/** Installed plugins keep the keys that are reserved since. */
function toInstalledVerify({ verify, keptKeys = new Set() }: PluginHostDeps): VerifyDeps {
  const reserved = [...verify.reservedKeys].filter((key) => !keptKeys.has(key));
  return { ...verify, reservedKeys: new Set(reserved) };
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
