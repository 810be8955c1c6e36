import { toJsonText } from "@hub/connector";
import type { Command } from "commander";
import type { Terminal } from "../process/terminal.ts";

/**
 * The output of a command: a JSON document for `--json`, otherwise text. The note goes to standard
 * error, so that a script can use the text as it is.
 */
export type Answer = { json: unknown; text: string; note?: string };

/** With `--json`, standard output has one JSON document and nothing else. */
export function print(terminal: Terminal, { json, text, note }: Answer, isJson: boolean): void {
  terminal.stdout.write(`${isJson ? toIndentedJson(json) : text}\n`);
  if (note !== undefined && !isJson) terminal.stderr.write(`${note}\n`);
}

/** Keeps all digits of numbers beyond 2^53. */
export function toIndentedJson(value: unknown): string {
  return toJsonText(value, 2);
}

export function isJsonWanted(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json === true;
}
