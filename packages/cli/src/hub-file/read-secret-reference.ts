import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { toBytesText } from "@hub/connector";
import type { ReadReference } from "@hub/server/services/hub-file/resolve-secrets.ts";
import type { Terminal } from "../process/terminal.ts";

/** A secret is shorter. */
const bytesMax = 64 * 1024;

/**
 * Reads the secrets that a hub file refers to, with the rights of the person who applies it: variables of
 * this process, and files whose paths start at the folder of the hub file.
 */
export function readSecretReference({ env }: Pick<Terminal, "env">, folder: string): ReadReference {
  return async (kind, name) => {
    if (kind === "env") {
      const value = env[name];
      if (value !== undefined && value !== "") return value;
      throw new Error(`The variable ${name} is not set. Set it for this command.`);
    }
    return await readSecretFile(name, resolve(folder, name));
  };
}

async function readSecretFile(name: string, path: string): Promise<string> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw new Error(`it is larger than ${toBytesText(bytesMax)}`);
    text = await readFile(path, "utf8");
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Error(`The file ${name} cannot be read: ${reason}.`);
  }
  // Editors end a file with a line break.
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new Error(`The file ${name} is empty.`);
  return secret;
}
