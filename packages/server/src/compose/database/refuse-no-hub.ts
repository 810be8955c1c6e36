import { existsSync, statSync } from "node:fs";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { databasePath, restoringPath } from "../../store/sqlite/sqlite-connections.ts";

/**
 * Refuses a data folder without a database, in which a command would make another hub than the one that is meant, and one that
 * this user cannot open.
 */
export function refuseNoHub(
  config: Pick<Config, "dataDir" | "readDatabaseUrl">,
  program: string,
): void {
  const { dataDir } = config;
  const isShared = config.readDatabaseUrl() !== null;
  try {
    statSync(databasePath(dataDir));
  } catch (cause) {
    const { code } = Object(cause);
    if (code === "EACCES") throw refuseClosed(dataDir, cause);
    // The store describes other failures, and a restore that was interrupted.
    // The database is elsewhere, and the folder is made when it is needed.
    if (isShared) return;
    if (code === "ENOENT" && !existsSync(restoringPath(dataDir)))
      throw refuseEmpty(dataDir, program);
  }
}

function refuseEmpty(dataDir: string, program: string): HubError {
  return new HubError("not_found", "The data folder has no hub. Name the folder of the hub.", {
    detail: { data_dir: dataDir },
    localMessage: `The data folder ${dataDir} has no hub. Name the folder of a hub with --data-dir or HUB_DATA_DIR. For the hub of an installed service, run the command as: ${program} service run -- COMMAND. If the hub is on PostgreSQL, set HUB_DATABASE_URL and HUB_ENC_KEY as the server has them. To make a new hub here, run: ${program} serve`,
  });
}

function refuseClosed(dataDir: string, cause: unknown): HubError {
  return new HubError("forbidden", "This user cannot open the data folder.", {
    cause,
    detail: { data_dir: dataDir },
    localMessage: `This user cannot open the data folder ${dataDir}. Run the command as the user of the hub, for example with: sudo -u hub`,
  });
}
