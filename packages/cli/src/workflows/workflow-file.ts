import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseJson } from "@hub/connector";
import { toUsageError } from "../errors/usage-error.ts";
import { readStdin, type Terminal } from "../process/terminal.ts";

/** Larger files cannot be workflows. */
const fileCharsMax = 8 * 1024 * 1024;

/** Reads a JSON document from a file, or from standard input with the name `-`. */
export async function readJsonFile(terminal: Terminal, name: string): Promise<unknown> {
  const text = name === "-" ? await readStdin(terminal) : await readText(terminal, name);
  if (text.length > fileCharsMax) throw toUsageError(`${name} is too large for a workflow.`);
  return parseDocument(name, text);
}

export function parseDocument(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (failure) {
    throw toUsageError(`${name} is not valid JSON: ${toReason(failure)}`);
  }
}

async function readText({ cwd }: Terminal, name: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, name), "utf8");
  } catch (failure) {
    if (Object(failure).code === "ENOENT") {
      throw toUsageError(`${name} does not exist. Name the file to read, or - for standard input.`);
    }
    throw toUsageError(`${name} cannot be read: ${toReason(failure)}`);
  }
}

function toReason(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
