import { CommanderError } from "commander";
import { exitCodes } from "./report-failure.ts";

/** The command was given something that cannot be meant so; `message` says what to type instead. */
export function toUsageError(message: string): CommanderError {
  return new CommanderError(exitCodes.usage, "hub.usage", message);
}

/** The person thought better of it. */
export function toCancelled(): CommanderError {
  return new CommanderError(exitCodes.failure, "hub.cancelled", "Cancelled; nothing was changed.");
}
