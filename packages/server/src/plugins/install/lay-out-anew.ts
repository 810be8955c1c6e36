import { mkdir, rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { HubError } from "../../errors.ts";
import { listPluginNames, type PluginFolders, toPartsDir } from "../plugin-folders.ts";
import { type VerifyDeps, verifyPlugin } from "../verify/verify-plugin.ts";
import { readInstallSource, writeInstallSource } from "./install-source.ts";
import { placeVersion } from "./place-version.ts";
import { takeParts } from "./take-parts.ts";

type LayOutDeps = {
  folders: PluginFolders;
  verify: VerifyDeps;
  createId(): string;
  log: { warn(fields: Record<string, unknown>, message: string): void };
};

/**
 * Lays versions that an older hub installed out as `placeVersion` does today, from a copy that is
 * verified again: the old folder stays for processes that run from it, and is pruned later. What fails
 * stays as it is and works as before, but for a place of its data.
 */
export async function layOutAnew(deps: LayOutDeps): Promise<void> {
  for (const key of await listPluginNames(deps.folders)) {
    const from = await findOldLayout(deps.folders, key);
    if (from === null) continue;
    try {
      await layOutPlugin(deps, key, from);
    } catch (thrown) {
      // What does not pass verification is told of by the next look at all plugins.
      if (thrown instanceof HubError && thrown.code === "plugin_refused") continue;
      deps.log.warn(
        { plugin: key, err: thrown },
        "the plugin could not be laid out anew; it is tried again at the next start",
      );
    }
  }
}

/** The folder of a version that lies as older hubs left it; null for any other. */
async function findOldLayout(folders: PluginFolders, key: string): Promise<string | null> {
  const dir = await folders.resolve(key);
  if (dir === null || dir.endsWith(toPartsDir("", key))) return null;
  return dir.includes(`${sep}.versions${sep}${key}${sep}`) ? dir : null;
}

async function layOutPlugin(deps: LayOutDeps, key: string, from: string): Promise<void> {
  const { folders, verify, createId } = deps;
  const staging = join(folders.staging, createId());
  const to = join(staging, "plugin");
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await takeParts({ plugin: key, from, to, isOwn: false });
    const source = await readInstallSource(from);
    if (source !== null) await writeInstallSource(to, source);
    await verifyPlugin(verify, { dir: to, key, source: key });
    // Another process may have installed a later version meanwhile: that one counts.
    if ((await folders.resolve(key)) !== from) return;
    await placeVersion(folders, { key, from: to, id: createId() });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
