import { toUsageError } from "../errors/usage-error.ts";

/** Throws if neither operations are named nor `--all` is given, or both. `verb` is what the command does with them. */
export function checkNamedOrAll(
  keys: readonly string[],
  all: true | undefined,
  verb: string,
): void {
  if (keys.length > 0 === (all === true)) {
    throw toUsageError(`Name the operations to ${verb}, or add --all.`);
  }
}
