import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { toUsageError } from "../errors/usage-error.ts";
import type { Terminal } from "../process/terminal.ts";

const megabytesMax = 10;
const bytesMax = megabytesMax * 1024 * 1024;

/** Reads a text of at most 10 MiB from a file, or from standard input with the name `-`. */
export async function readDocumentFile(terminal: Terminal, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of await openInput(terminal, name)) {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > bytesMax) break;
    }
  } catch (failure) {
    if (Object(failure).code === "ENOENT") {
      throw toUsageError(`${name} does not exist. Name the file to read, or - for standard input.`);
    }
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw toUsageError(`${name} cannot be read: ${reason}`);
  }
  if (bytes > bytesMax) throw toUsageError(`${name} is larger than ${megabytesMax} MiB.`);
  const text = Buffer.concat(chunks).toString("utf8");
  if (text.trim() === "") throw toUsageError(`${name === "-" ? "Standard input" : name} is empty.`);
  return text;
}

async function openInput(
  { cwd, stdin }: Terminal,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  return name === "-" ? stdin : (await open(resolve(cwd, name))).createReadStream();
}
