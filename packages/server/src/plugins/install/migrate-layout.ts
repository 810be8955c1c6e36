import { mkdir, rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { containsText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { listPluginNames, type PluginFolders, toPartsDir } from "../installed/plugin-folders.ts";
import { type VerifyDeps, verifyPlugin } from "../verify/verify-plugin.ts";
import { readInstallSource, writeInstallSource } from "./install-source.ts";
import { placeVersion } from "./place-version.ts";
import { takeParts } from "./take-parts.ts";

type MigrateDeps = {
  folders: PluginFolders;
  verify: VerifyDeps;
  createId(): string;
  log: { warn(fields: Record<string, unknown>, message: string): void };
};

/**
 * Migrates versions that an older hub installed to the folder layout of `placeVersion`. It verifies a
 * copy; the old folder stays for processes that run from it and is pruned later. If that fails, the
 * plugin works as before, but without a folder for its data.
 */
export async function migrateLayouts(deps: MigrateDeps): Promise<void> {
  for (const key of await listPluginNames(deps.folders)) {
    const from = await findOldLayout(deps.folders, key);
    if (from === null) continue;
    try {
      await migratePlugin(deps, key, from);
    } catch (thrown) {
      // The next scan reports plugins that fail verification.
      if (thrown instanceof HubError && thrown.code === "plugin_refused") continue;
      deps.log.warn(
        { plugin: key, err: thrown },
        "The plugin's folder could not be migrated to the current layout; the hub tries again at its next start",
      );
    }
  }
}

/** The folder of a version in the layout of older hubs; null for any other. */
async function findOldLayout(folders: PluginFolders, key: string): Promise<string | null> {
  const dir = await folders.resolve(key);
  if (dir === null || dir.endsWith(toPartsDir("", key))) return null;
  return containsText(dir, `${sep}.versions${sep}${key}${sep}`) ? dir : null;
}

async function migratePlugin(deps: MigrateDeps, key: string, from: string): Promise<void> {
  const { folders, verify, createId } = deps;
  const staging = join(folders.staging, createId());
  const to = join(staging, "plugin");
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await takeParts({ plugin: key, from, to, isOwn: false });
    const source = await readInstallSource(from);
    if (source !== null) await writeInstallSource(to, source);
    await verifyPlugin(verify, { dir: to, key, source: key });
    // Another process may have installed a later version meanwhile.
    if ((await folders.resolve(key)) !== from) return;
    await placeVersion(folders, { key, from: to, id: createId() });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
