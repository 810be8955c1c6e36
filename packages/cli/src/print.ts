import type { Command } from "commander";
import type { Answer } from "./cli.ts";
import type { Terminal } from "./terminal.ts";

/** With `--json`, standard output holds one JSON document and nothing else. */
export function print({ stdout }: Terminal, { json, text }: Answer, isJson: boolean): void {
  stdout.write(`${isJson ? toIndentedJson(json) : text}\n`);
}

/** Numbers beyond 2^53 keep their digits. */
export function toIndentedJson(value: unknown): string {
  return JSON.stringify(value, writeBigint, 2) ?? "null";
}

function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}

export function isJsonWanted(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json === true;
}
