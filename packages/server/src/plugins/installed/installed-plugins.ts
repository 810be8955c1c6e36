import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { toEntryName } from "@hub/contract/plugin-manifest.ts";
import { HubError } from "../../errors.ts";
import { toCosignPath } from "../verify/check-cosign.ts";
import { readManifest } from "../verify/read-manifest.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import { type VerifiedPlugin, type VerifyDeps, verifyPlugin } from "../verify/verify-plugin.ts";
import { findFileStamp } from "./file-stamp.ts";
import { listPluginNames, type PluginFolders } from "./plugin-folders.ts";
import type { ProgramRecords } from "./program-records.ts";

/** One folder in the plugins folder, verified or refused. */
export type PluginFolder = (
  | { key: string; plugin: VerifiedPlugin; refusal: null }
  | { key: string; plugin: null; refusal: HubError; refusedVersion?: string | null }
) & { sharing?: PluginSharing };

/** How the folder differs from what is installed on the other servers. */
export type PluginSharing = {
  /** The installed version, if this server does not have it yet. */
  awaitedVersion: string | null;
  /** Whether the plugin is on this server only. */
  isOnlyHere: boolean;
  /** What an admin should know about it, in sentences. */
  note: string | null;
};

export type InstalledPlugins = {
  /** Every folder, by key. Only folders that changed since the last scan are verified again. */
  scan(): Promise<PluginFolder[]>;
};

type ScanDeps = { folders: PluginFolders; verify: VerifyDeps; records: ProgramRecords };

type Seen = { stamp: string; folder: PluginFolder };

export function createInstalledPlugins(deps: ScanDeps): InstalledPlugins {
  let seen = new Map<string, Seen>();

  async function look(key: string): Promise<Seen | null> {
    const dir = await deps.folders.resolve(key);
    if (dir === null) return await lookAtLink(deps, key);
    const before = seen.get(key);
    if (before !== undefined && before.stamp === (await toStamp(dir, before.folder))) return before;
    const filesBefore = await toStamp(dir, null);
    const folder = await verifyFolder(deps, key, dir);
    const stamp = await toStamp(dir, folder);
    // A folder that changed during verification is verified again in the next scan.
    return { folder, stamp: filesBefore === (await toStamp(dir, null)) ? stamp : "" };
  }

  return {
    async scan() {
      const present = new Map<string, Seen>();
      for (const key of await listPluginNames(deps.folders)) {
        const found = await look(key);
        if (found !== null) present.set(key, found);
      }
      seen = present;
      return [...present.values()].map(({ folder }) => folder);
    },
  };
}

async function verifyFolder(deps: ScanDeps, key: string, dir: string): Promise<PluginFolder> {
  const { records } = deps;
  try {
    const plugin = await verifyPlugin(deps.verify, { dir, key, source: key, records });
    return { key, plugin, refusal: null };
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    const manifest = await readManifest(key, dir).catch(() => null);
    return { key, plugin: null, refusal: thrown, refusedVersion: manifest?.version ?? null };
  }
}

/** Refuses a broken link, or one that points outside the plugins folder. */
async function lookAtLink({ folders }: ScanDeps, key: string): Promise<Seen | null> {
  const stats = await lstat(folders.link(key)).catch(() => null);
  if (stats === null) return null;
  const refusal = refusePlugin({
    plugin: key,
    check: "source",
    expected: "a folder in the plugins folder",
    found: "a broken link, or one that points elsewhere",
    remedy: "Remove it, and install the plugin with `hub plugin install`.",
  });
  return { stamp: "", folder: { key, plugin: null, refusal } };
}

/** The stamps of a plugin's parts, or of all files in the folder if the parts are not known. */
async function toStamp(dir: string, folder: PluginFolder | null): Promise<string> {
  const names = folder?.plugin ? listParts(folder.plugin) : await readdir(dir).catch(() => []);
  const stamps = names.sort().map(async (name) => [name, await findFileStamp(join(dir, name))]);
  return JSON.stringify([dir, ...(await Promise.all(stamps))]);
}

function listParts({ manifest }: VerifiedPlugin): string[] {
  const program = toEntryName(manifest);
  return ["plugin.json", program, toCosignPath(program)];
}
