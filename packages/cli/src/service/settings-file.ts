import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readText } from "./service-files.ts";
import { settingsText } from "./settings-text.ts";

/** Makes the file, which only its owner reads: it may get keys. One that is there stays as it is. */
export async function addSettingsFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, settingsText, { flag: "wx", mode: 0o600 });
  } catch (failure) {
    if (Object(failure).code !== "EEXIST") throw failure;
  }
}

/** The file that would be made; none if it is there. */
export async function listMissingSettings(file: string | null) {
  if (file === null || (await readText(file)) !== null) return [];
  return [{ file, text: settingsText }];
}
