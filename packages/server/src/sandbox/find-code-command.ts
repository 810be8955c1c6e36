import { join } from "node:path";
import { codeCommand } from "../lib/process/part-commands.ts";
import { findPartCommand, type SelfCommand } from "../lib/process/self-command.ts";

/** Returns the command that starts a process for scripts. */
export function findCodeCommand(): SelfCommand {
  return findPartCommand(codeCommand, join(import.meta.dirname, "code-process.ts"));
}
