import { CommanderError } from "commander";

/** The exit codes of the command line. */
export const exitCodes = { failure: 1, usage: 2 } as const;

/** An error for wrong arguments. The message says what to type instead. */
export function toUsageError(message: string): CommanderError {
  return new CommanderError(exitCodes.usage, "hub.usage", message);
}

/** An error of Commander: it could not parse the command line. */
export class MistypedError extends CommanderError {
  /** The command as typed, for the hint to its help. */
  readonly command: string;

  constructor({ exitCode, code, message }: CommanderError, command: string) {
    super(exitCode, code, message);
    this.command = command;
  }
}

/** An error for a prompt that the user cancelled. */
export function toCancelled(): CommanderError {
  return new CommanderError(exitCodes.failure, "hub.cancelled", "Cancelled. Nothing was changed.");
}
