import type { CopyReport } from "@hub/contract/database-copy.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { listPluginNames, toPluginFolders } from "../../plugins/installed/plugin-folders.ts";
import { loadPluginTrust } from "../../plugins/plugin-trust.ts";
import { findHostPlatform } from "../../plugins/verify/check-platform.ts";
import { findKeyId } from "../../secrets/at-rest/at-rest.ts";
import {
  createKeyRing,
  formatKeyId,
  type KeyRing,
  parseKeyList,
} from "../../secrets/keys/key-ring.ts";
import { toSealingSetting } from "../../services/keys/sealing-key.ts";
import { copyTables, type OnProgress } from "../../store/copy/copy-tables.ts";
import { countSeeds } from "../../store/copy/count-seeds.ts";
import { type FolderSource, openFolderSource } from "../../store/copy/folder-source.ts";
import { readKeyFile } from "../../store/data-folder/key-file.ts";
import type { MigrateLog } from "../../store/migration.ts";
import { createUpgradeCopy } from "./copy-before-upgrade.ts";

type CopyDeps = {
  config: Config;
  log: MigrateLog;
  /** Discards what an interrupted copy has stored. */
  restarts: boolean;
  onProgress: OnProgress;
};

/** Copies the SQLite database of the data folder to the empty database in HUB_DATABASE_URL. */
export async function copyDatabase(deps: CopyDeps): Promise<CopyReport> {
  const { config, log, restarts, onProgress } = deps;
  const { dataDir } = config;
  const [url, keys] = [config.readDatabaseUrl(), config.readEncKey()];
  if (url === null || keys === null) {
    throw new HubError(
      "bad_configuration",
      "Set HUB_DATABASE_URL to an empty PostgreSQL database, and HUB_ENC_KEY to the keys of the data folder. Print them with: hub keys env --show",
    );
  }
  const ring = createKeyRing(parseKeyList(keys));
  const beforeUpgrade = createUpgradeCopy({ config, log });
  const source = await openFolderSource({ dataDir, log, beforeUpgrade });
  try {
    await checkKeysOfFolder(dataDir, source, ring);
    const { openCopyTarget } = await import("../../store/postgres/copy/copy-target.ts");
    const { id: sourceId, tables } = source;
    const seeds = countSeeds(tables);
    const target = await openCopyTarget({ url, sourceId, tables, seeds, restarts, log });
    try {
      const copied = await copyTables(source, target, onProgress);
      // Before servers may start, so that an interrupted copy is continued with its plugins.
      const { stored, refused } = await copyPlugins(config, url);
      await target.finish(new Map([toSealingSetting(ring)]));
      return {
        source: dataDir,
        target: target.place,
        migrated: [...source.migrated],
        ...copied,
        sealing: formatKeyId(ring.sealing.id),
        keys: [...ring.keys.keys()].map(formatKeyId),
        plugins: stored,
        plugins_not_copied: refused,
      };
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

async function copyPlugins(config: Config, url: string) {
  const { dataDir } = config;
  if ((await listPluginNames(toPluginFolders(dataDir))).length === 0) {
    return { stored: [], refused: [] };
  }
  const { openPostgresStore } = await import("../../store/postgres/open-postgres.ts");
  const { storePluginsOfFolder } = await import("../../plugins/shared/store-folder.ts");
  const store = await openPostgresStore({ url, connectionsMax: 2, isForCopy: true });
  try {
    const verify = {
      trust: loadPluginTrust(config),
      hostPlatform: findHostPlatform(),
      // Each server checks again that a thin plugin is for its version.
      hubVersion: null,
      // Each server checks again that no plugin has the key of a connector of its own.
      reservedKeys: new Set<string>(),
    };
    const deps = { db: store.db, verify, now: Date.now };
    return await storePluginsOfFolder(deps, { dataDir, by: "hub db copy" });
  } finally {
    await store.close();
  }
}

/** Every key of the folder has to be in HUB_ENC_KEY: some still open tokens that clients hold. */
async function checkKeysOfFolder(
  dataDir: string,
  source: FolderSource,
  { keys }: KeyRing,
): Promise<void> {
  const used = new Set(createIds((await readKeyFile(dataDir)) ?? []));
  for (const sealed of source.listSealed()) {
    const id = findKeyId(sealed);
    if (id !== null) used.add(id);
  }
  const missing = [...used].filter((id) => !keys.has(id)).map(formatKeyId);
  if (missing.length === 0) return;
  throw new HubError(
    "bad_configuration",
    `HUB_ENC_KEY lacks keys of the data folder: ${missing.join(", ")}. Without them, stored secrets and tokens that clients hold cannot be opened. Print them with: hub keys env --show. A new key goes in front: NEW,OLD.`,
  );
}

function createIds(keys: readonly Uint8Array[]): number[] {
  return keys.length === 0 ? [] : [...createKeyRing(keys).keys.keys()];
}
