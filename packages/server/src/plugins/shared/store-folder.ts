import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { listPluginInstalls } from "../../store/plugins/plugin-installs.ts";
import { readInstallSource } from "../install/install-source.ts";
import { listPluginNames, toPluginFolders } from "../installed/plugin-folders.ts";
import { type VerifyDeps, verifyPlugin } from "../verify/verify-plugin.ts";
import { publishVersion } from "./publish-version.ts";

type StoreDeps = { db: Db; verify: VerifyDeps; now(): number };

type StoredFolder = {
  /** Keys of the plugins that are in the database now. */
  stored: string[];
  /** Plugins that were not stored, with the reason. */
  refused: Array<{ key: string; reason: string }>;
};

/**
 * Stores the plugins of a data folder in a database, which says for all servers what is installed.
 * Plugins that it has already stay as they are, so it can run again. The folder is not changed.
 */
export async function storePluginsOfFolder(
  { db, verify, now }: StoreDeps,
  { dataDir, by }: { dataDir: string; by: string },
): Promise<StoredFolder> {
  const folders = toPluginFolders(dataDir);
  const present = new Set((await listPluginInstalls(db)).map(({ key }) => key));
  const outcome: StoredFolder = { stored: [], refused: [] };
  const staging = await mkdtemp(join(tmpdir(), "hub-plugins-"));
  try {
    for (const key of await listPluginNames(folders)) {
      try {
        const dir = await folders.resolve(key);
        if (dir === null) throw new HubError("not_found", "Its folder is not complete.");
        const verified = await verifyPlugin(verify, { dir, key, source: key });
        const { version } = verified;
        const recorded = await readInstallSource(dir);
        const source = recorded ?? { kind: "folder" as const, place: dir, version };
        const createId = () => Bun.randomUUIDv7("hex", now());
        const deps = { db, verify, now, createId };
        if (!present.has(key)) {
          await publishVersion(deps, { verified, source, staging, by }, null);
        }
        outcome.stored.push(key);
      } catch (thrown) {
        if (!(thrown instanceof HubError)) throw thrown;
        outcome.refused.push({ key, reason: thrown.message });
      }
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return outcome;
}
