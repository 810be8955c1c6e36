import type { Flag } from "./flag.ts";

/** The tables of plugins. */
export type PluginTables = {
  plugin_states: { plugin_key: string; disabled: Flag };
  plugin_installs: {
    plugin_key: string;
    id: string;
    version: string;
    /** JSON. */
    source: string;
    installed_by: string;
    installed_at: number;
  };
  plugin_builds: {
    id: string;
    plugin_key: string;
    /** JSON. */
    platforms: string;
    manifest: string;
    archive_sha256: string;
    archive_bytes: number;
    chunks: number;
  };
  plugin_chunks: { build_id: string; position: number; bytes: Uint8Array; stored_at: number };
  plugin_problems: {
    instance_id: string;
    plugin_key: string;
    message: string;
    noted_at: number;
  };
};
