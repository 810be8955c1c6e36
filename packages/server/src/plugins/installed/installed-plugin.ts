import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { FileStamp } from "./file-stamp.ts";

/** An installed plugin. */
export type InstalledPlugin = {
  /** Its connector's key, and the name of its folder. */
  key: string;
  /** The folder of this version. It never changes; a new version gets a new folder. */
  dir: string;
  version: string;
  manifest: PluginManifest;
  binaryPath: string;
  /** The stamp of the program's file when it was verified; null makes each spawn read it again. */
  binaryStamp: FileStamp | null;
  /** `unchecked`: it has a signature, but no trusted key is configured. */
  signature: "signed" | "binary-only" | "unsigned" | "unchecked";
  /** The fingerprint of the trusted key that signed the whole manifest. */
  signer?: string;
  enabled: boolean;
  /** Why it is not registered, as a sentence; null if it is registered. */
  problem: string | null;
};
