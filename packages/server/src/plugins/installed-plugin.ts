import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";

/** A plugin as it lies in its folder. */
export type InstalledPlugin = {
  /** Its connector's key, and the name of its folder. */
  key: string;
  dir: string;
  version: string;
  manifest: PluginManifest;
  binaryPath: string;
  signature: "signed" | "binary-only" | "unsigned";
  enabled: boolean;
  /** Why it is not registered, as a sentence; null when it is fine. */
  problem: string | null;
};
