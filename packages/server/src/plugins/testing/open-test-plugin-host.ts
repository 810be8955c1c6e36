import { fromModuleManifest } from "@hub/connector/plugin";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Db } from "../../store/database/database.ts";
import type { OpenPlugins } from "../catalog/embedded-catalog.ts";
import { createPluginCatalog } from "../catalog/plugin-catalogs.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import { createPluginHost, type PluginHostDeps } from "../plugin-host.ts";
import type { PluginTrust } from "../plugin-trust.ts";

export const openTrust: PluginTrust = {
  publicKeys: [],
  requireSignature: null,
  allowBinarySignatures: false,
  cosignKey: null,
};

/** The platform of the fixtures, on every machine. */
export const testPlatform = "linux/amd64";

/** The version of the hub of the fixtures. */
export const testHubVersion = "1.2.3";

type TestHostDeps = { dataDir: string; db: Db; registry: ConnectorRegistry };

type TestHostOptions = Partial<Omit<PluginHostDeps, "dataDir" | "db" | "catalog">> & {
  trust?: Partial<PluginTrust>;
  catalog?: string | null;
  catalogTimeoutMs?: number;
  /** The files of a catalog in the program. */
  openEmbedded?: OpenPlugins;
  /** The platform of the machine. */
  platform?: string;
  hubVersion?: string;
};

/** A plugin host whose connectors come from manifests and have no process. */
export function openTestPluginHost(
  { dataDir, db, registry }: TestHostDeps,
  {
    trust = {},
    catalog = null,
    catalogTimeoutMs = 10_000,
    openEmbedded,
    platform = testPlatform,
    hubVersion = testHubVersion,
    ...options
  }: TestHostOptions = {},
) {
  const now = () => Date.now();
  const get = options.get ?? { outboundAllow: [] };
  const silent = () => {};
  return createPluginHost({
    dataDir,
    db,
    registry,
    verify: {
      trust: { ...openTrust, ...trust },
      hostPlatform: platform,
      hubVersion,
      reservedKeys: new Set(["http", "hub"]),
    },
    get,
    createConnector: async (plugin) => describePlugin(plugin),
    release: silent,
    log: { info: silent, warn: silent, error: silent },
    now,
    ...options,
    catalog: createPluginCatalog({
      ...get,
      location: catalog,
      cwd: dataDir,
      now,
      timeoutMs: catalogTimeoutMs,
      ...(openEmbedded !== undefined && { openEmbedded }),
    }),
  });
}

/** The connector that a manifest describes, without a process. */
export function describePlugin(plugin: InstalledPlugin): RegisteredConnector {
  const { key, name, description, icon, configFields, operations } = fromModuleManifest(
    plugin.manifest.module,
    plugin.manifest.proto_version,
  );
  return {
    key,
    name,
    description,
    icon,
    tier: "plugin",
    configFields,
    operations,
    invoke: async () => ({ version: plugin.version }),
  };
}
