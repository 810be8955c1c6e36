import { mkdirSync } from "node:fs";
import { HubError } from "../../errors.ts";

/** Makes the data folder if it is missing (0700). Throws `bad_configuration` if something else is in its place. */
export function makeDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = Object(cause);
    if (code !== "EEXIST" && code !== "ENOTDIR") throw cause;
    throw new HubError("bad_configuration", "The data folder is not a folder.", {
      cause,
      localMessage: `The data folder ${dataDir} is a file, or is below a file. Name a folder with --data-dir or HUB_DATA_DIR.`,
    });
  }
}
