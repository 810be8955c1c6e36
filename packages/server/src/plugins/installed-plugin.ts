import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { FileStamp } from "./file-stamp.ts";

/** A plugin as it lies in its folder. */
export type InstalledPlugin = {
  /** Its connector's key, and the name of its folder. */
  key: string;
  /** The folder of this very version: it is replaced as a whole and never changed. */
  dir: string;
  version: string;
  manifest: PluginManifest;
  binaryPath: string;
  /** The program's file as it was when it was verified; null lets each spawn read it again. */
  binaryStamp: FileStamp | null;
  /** `unchecked`: there is a signature, and no trusted key to check it with. */
  signature: "signed" | "binary-only" | "unsigned" | "unchecked";
  enabled: boolean;
  /** Why it is not registered, as a sentence; null when it is fine. */
  problem: string | null;
};
