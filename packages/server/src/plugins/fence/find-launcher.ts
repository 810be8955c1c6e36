import { join } from "node:path";
import { launcherCommand } from "../../lib/process/part-commands.ts";
import { findPartCommand, type SelfCommand } from "../../lib/process/self-command.ts";

/** Returns the command that starts the launcher, without the program and its arguments. */
export function findLauncher(): SelfCommand {
  const file = join(import.meta.dirname, "program-launcher.ts");
  return findPartCommand(launcherCommand, file);
}
