import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import type { LoadedCatalog } from "./catalog/plugin-catalogs.ts";
import type { UploadedArchive } from "./install/find-install-source.ts";
import type { InstallOptions, InstallProgress } from "./install/install-plugin.ts";
import type { ThisHub } from "./installed/choose-build.ts";
import type { JointWork } from "./joint-work.ts";
import type { PluginState } from "./sync-registry.ts";

type StartOptions = {
  staysOpen: boolean;
  /** The id of this process in the database. */
  instanceId?: string;
};

export type PluginHost = {
  /**
   * Registers the installed plugins. With `staysOpen` it first fetches those that other servers have
   * installed, for some time at most, and then watches for changes.
   */
  start(options: StartOptions): Promise<void>;
  stop(): Promise<void>;
  install(source: string | UploadedArchive, options: InstallOptions): Promise<PluginState>;
  /** Does the same work of several callers of this process once. */
  join: JointWork<InstallProgress>;
  enable(key: string): Promise<PluginState>;
  disable(key: string): Promise<PluginState>;
  /**
   * Removes a plugin. Its rows stay, and its program's data stays unless `withData` is set. With
   * `withData` it also deletes the data of a plugin that was removed before.
   */
  remove(key: string, options?: { withData?: boolean }): Promise<PluginState>;
  /** Updates the registry to the installed and enabled plugins, also those of other processes. */
  sync(): Promise<void>;
  /**
   * Fetches what other servers have installed and removes what they have removed. Does nothing on
   * SQLite, where all processes use one folder.
   */
  follow(): Promise<void>;
  /** Every plugin folder, by key. Read-only. */
  list(): Promise<PluginState[]>;
  find(key: string): Promise<PluginState>;
  loadCatalog(): Promise<LoadedCatalog>;
  /** Why this hub has no catalog, and what to do; null if it has one. */
  findCatalogAbsence(): Promise<string | null>;
  findOffer(key: string): Promise<CatalogEntry>;
  /**
   * Where an installed plugin came from, if that is not the catalog: only from there is an update of it. Null for one
   * of the catalog.
   */
  findOtherSource(key: string): Promise<string | null>;
  thisHub: ThisHub;
};
