import { CommanderError } from "commander";

/** The exit codes of the command line. */
export const exitCodes = { failure: 1, usage: 2 } as const;

/** The command was given something that cannot be meant so; `message` says what to type instead. */
export function toUsageError(message: string): CommanderError {
  return new CommanderError(exitCodes.usage, "hub.usage", message);
}

/** Commander could not read the command line. */
export class MistypedError extends CommanderError {
  /** The command as it is typed, whose help tells how to go on. */
  readonly command: string;

  constructor({ exitCode, code, message }: CommanderError, command: string) {
    super(exitCode, code, message);
    this.command = command;
  }
}

/** The person thought better of it. */
export function toCancelled(): CommanderError {
  return new CommanderError(exitCodes.failure, "hub.cancelled", "Cancelled; nothing was changed.");
}
