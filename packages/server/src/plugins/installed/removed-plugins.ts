import { z } from "zod";
import type { Db } from "../../store/database/database.ts";
import { countRowsByConnector } from "../../store/rows/rows-table.ts";
import { deleteSetting, findSetting, putSetting } from "../../store/settings/settings-table.ts";
import { parseInstallSource } from "../install/install-source.ts";
import type { InstalledVersion } from "../install/installed-version.ts";
import { parseManifest } from "../verify/read-manifest.ts";

const removedSchema = z.object({
  manifest: z.unknown(),
  source: z.string().nullable(),
  isManual: z.boolean(),
});

/** What is known of removed plugins whose rows are still there. */
export type RemovedPlugins = {
  record(key: string, version: InstalledVersion | null): Promise<void>;
  /** Null if no plugin with this key was removed, or if it has no rows. */
  find(key: string): Promise<InstalledVersion | null>;
  forget(key: string): Promise<void>;
};

/** Attack: another plugin with the key of a removed one would get the secrets of the rows that it has left. */
export function createRemovedPlugins(db: Db): RemovedPlugins {
  const toSettingKey = (key: string) => `removed_plugin ${key}`;
  return {
    async record(key, version) {
      if (version === null) return;
      const { manifest, isManual } = version;
      const source = version.source === null ? null : JSON.stringify(version.source);
      await putSetting(db, toSettingKey(key), JSON.stringify({ manifest, source, isManual }));
    },
    async find(key) {
      const text = await findSetting(db, toSettingKey(key));
      if (text === null) return null;
      const rows = await countRowsByConnector(db, { connectorKey: key });
      if (!rows.has(key)) return null;
      const { manifest, source, isManual } = removedSchema.parse(JSON.parse(text));
      return {
        manifest: readKept(key, manifest),
        source: source === null ? null : parseInstallSource(source),
        isManual,
        installId: null,
      };
    },
    forget: (key) => deleteSetting(db, toSettingKey(key)),
  };
}

/** Null for a manifest that this hub cannot read, as of an installed version. Then the place counts that it came from. */
function readKept(key: string, manifest: unknown): InstalledVersion["manifest"] {
  if (manifest === null) return null;
  try {
    return parseManifest(key, JSON.stringify(manifest));
  } catch {
    return null;
  }
}
