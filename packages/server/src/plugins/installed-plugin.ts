import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { FileStamp } from "./file-stamp.ts";

/** A plugin in the data folder, after every check. */
export type InstalledPlugin = {
  key: string;
  /** The folder of this very version: it is replaced as a whole and never changed. */
  dir: string;
  version: string;
  manifest: PluginManifest;
  binaryPath: string;
  signature: "signed" | "binary-only" | "unsigned";
  enabled: boolean;
  /** Why it is not registered; null when nothing is in the way. */
  problem: string | null;
  /** The program's file as it was when it was verified. */
  binaryStamp: FileStamp;
};
