import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { HubError } from "../../errors.ts";
import {
  deletePluginChunks,
  deletePluginInstall,
  findPluginManifest,
  listPluginInstalls,
  type PluginInstall,
} from "../../store/plugins/plugin-installs.ts";
import { parseInstallSource } from "../install/install-source.ts";
import { findVersionInFolder } from "../install/installed-version.ts";
import type { PluginFolder } from "../installed/installed-plugins.ts";
import type { SharedInstalls } from "../shared-installs.ts";
import { parseManifest } from "../verify/read-manifest.ts";
import {
  createInstallFollower,
  type FollowDeps,
  type InstallFollower,
  refuseManual,
} from "./follow-installs.ts";
import { findLocalCopy, isRemovedCopy } from "./local-copies.ts";
import { findBuild, publishVersion, refuseConcurrentChange } from "./publish-version.ts";

/** The database says what is installed; the folder of each server has copies. */
export function createDatabaseInstalls(deps: FollowDeps): SharedInstalls {
  const { db, folders } = deps;
  const follower = createInstallFollower(deps);
  let following: Promise<void> | null = null;

  async function findInstall(key: string): Promise<PluginInstall | null> {
    return (await listPluginInstalls(db)).find((install) => install.key === key) ?? null;
  }

  return {
    scan: () => listFolders(deps, follower),

    async findInstalled(key) {
      const install = await findInstall(key);
      if (install === null) return await findVersionInFolder(folders, key);
      return {
        manifest: await readManifestOf(deps, install),
        source: parseInstallSource(install.source),
        isManual: false,
        installId: install.id,
      };
    },

    async publish(version, installed, place) {
      const { key } = version.verified;
      const present = await findInstall(key);
      if ((present?.id ?? null) !== (installed?.installId ?? null))
        throw refuseConcurrentChange(key);
      follower.publishing.add(key);
      try {
        const build = await publishVersion(deps, version, present);
        const placed = await place(build);
        for (const { id } of present?.builds ?? []) await deletePluginChunks(db, id);
        return placed;
      } finally {
        follower.publishing.delete(key);
      }
    },

    async withdraw(key) {
      const install = await findInstall(key);
      await deletePluginInstall(db, key);
      for (const { id } of install?.builds ?? []) await deletePluginChunks(db, id);
    },

    follow() {
      following ??= follower.follow().finally(() => {
        following = null;
      });
      return following;
    },

    async stop() {
      follower.stop();
      await following?.catch(() => {});
    },
  };
}

/** The installed plugins, and those that are only in this folder. */
async function listFolders(deps: FollowDeps, follower: InstallFollower): Promise<PluginFolder[]> {
  // Before the installs, so that a plugin that was just installed here is in both.
  const inFolder = new Map((await deps.scan()).map((folder) => [folder.key, folder]));
  const installs = await listPluginInstalls(deps.db);
  const all: PluginFolder[] = [];
  for (const install of installs) {
    all.push(await compareFolder(deps, follower, { install, folder: inFolder.get(install.key) }));
  }
  const installed = new Set(installs.map(({ key }) => key));
  for (const [key, folder] of inFolder) {
    if (installed.has(key)) continue;
    // Another server has removed it; `follow` removes the files, perhaps since they were listed.
    if (isRemovedCopy(await findLocalCopy(deps.folders, key))) continue;
    all.push({ ...folder, sharing: onlyHere });
  }
  return all.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The folder under an installed plugin's key, or a refusal that says why there is none. */
async function compareFolder(
  { folders, verify }: FollowDeps,
  follower: Pick<InstallFollower, "findFailure">,
  { install, folder }: { install: PluginInstall; folder: PluginFolder | undefined },
): Promise<PluginFolder> {
  const { key, version } = install;
  const copy = await findLocalCopy(folders, key);
  const isCurrent =
    copy.kind === "version" &&
    copy.build !== null &&
    copy.build === findBuild(install, verify.hostPlatform)?.id;
  if (folder !== undefined && isCurrent) return folder;
  const reason = follower.findFailure(install) ?? describeAwaited(version);
  if (folder?.plugin && copy.kind === "version") {
    const own = folder.plugin.version;
    const used = own === version ? "its own copy of that version" : `version ${own}`;
    const note = `${reason} It still uses ${used}.`;
    return { ...folder, sharing: { awaitedVersion: version, isOnlyHere: false, note } };
  }
  const message = copy.kind === "manual" ? refuseManual(key).message : reason;
  const refusal = folder?.refusal ?? new HubError("plugin_unavailable", message);
  const sharing = { awaitedVersion: version, isOnlyHere: false, note: null };
  return { key, plugin: null, refusal, sharing };
}

async function readManifestOf(
  { db, verify }: Pick<FollowDeps, "db" | "verify">,
  install: PluginInstall,
): Promise<PluginManifest | null> {
  const build = findBuild(install, verify.hostPlatform) ?? install.builds[0];
  const text = build === undefined ? null : await findPluginManifest(db, build.id);
  return text === null ? null : parseManifest(install.key, text);
}

const onlyHere = {
  awaitedVersion: null,
  isOnlyHere: true,
  note: "It is only on this server: it was copied into the plugins folder by hand. To install it on every server, use `hub plugin install`.",
};

function describeAwaited(version: string): string {
  return `Version ${version} is installed for all servers. The server of this data folder has not fetched it yet.`;
}
