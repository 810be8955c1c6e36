import { isThin } from "@hub/contract/plugin-manifest.ts";
import { type SelfCommand, toBundleCommand } from "../../lib/process/self-command.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";

/** The command that starts a plugin. The hub's own executable runs the bundle of a thin one. */
export function toProgramCommand({
  manifest,
  binaryPath,
}: Pick<InstalledPlugin, "manifest" | "binaryPath">): SelfCommand {
  if (isThin(manifest)) return toBundleCommand(binaryPath);
  return { command: binaryPath, args: [], env: {} };
}
