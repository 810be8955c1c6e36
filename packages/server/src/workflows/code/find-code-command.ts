import { join } from "node:path";
import { findSelfCommand, type SelfCommand, toSourceCommand } from "../../lib/self-command.ts";
import { codeCommand } from "./code-command.ts";

/** Returns the command that starts a process for scripts. */
export function findCodeCommand(): SelfCommand {
  // From sources, the whole program takes longer to start than the one file.
  if (import.meta.path.endsWith(".ts") && !import.meta.path.startsWith("/$bunfs/")) {
    return toSourceCommand(join(import.meta.dirname, "code-process.ts"), import.meta.dirname);
  }
  const { command, args, env } = findSelfCommand();
  return { command, args: [...args, codeCommand], env };
}
