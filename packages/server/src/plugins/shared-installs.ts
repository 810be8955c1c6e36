import type { InstallSource } from "./install/install-source.ts";
import { findVersionInFolder, type InstalledVersion } from "./install/installed-version.ts";
import type { InstalledPlugins } from "./installed/installed-plugins.ts";
import type { PluginFolders } from "./installed/plugin-folders.ts";
import type { VerifiedPlugin } from "./verify/verify-plugin.ts";

/** A verified version in a staging folder, about to be installed. */
export type StagedVersion = {
  verified: VerifiedPlugin;
  source: InstallSource;
  /** A folder for temporary files. */
  staging: string;
  /** The user who installs it. */
  by: string;
};

/**
 * The installs of all servers that use one database. On SQLite all of them use one folder, which says
 * what is installed. On PostgreSQL the database says it, and each folder has copies.
 */
export type SharedInstalls = InstalledPlugins & {
  findInstalled(key: string): Promise<InstalledVersion | null>;
  /**
   * Makes a version the installed one of every server, in place of `installed`. Then `place` puts it
   * into the folder of this server; `build` is its id in the database. Throws `conflict` if another
   * server has installed or removed the plugin since.
   */
  publish<T>(
    version: StagedVersion,
    installed: InstalledVersion | null,
    place: (build: string | null) => Promise<T>,
  ): Promise<T>;
  /** Removes it from every server. The caller removes it from the folder of this one. */
  withdraw(key: string): Promise<void>;
  /** Brings the folder of this server to the installed versions. */
  follow(): Promise<void>;
  /** Ends `follow`. */
  stop(): Promise<void>;
};

type FolderDeps = { folders: PluginFolders; installed: InstalledPlugins };

/** All processes use this folder, so it says what is installed. */
export function createFolderInstalls({ folders, installed }: FolderDeps): SharedInstalls {
  return {
    scan: installed.scan,
    findInstalled: (key) => findVersionInFolder(folders, key),
    publish: (_version, _installed, place) => place(null),
    withdraw: async () => {},
    follow: async () => {},
    stop: async () => {},
  };
}
