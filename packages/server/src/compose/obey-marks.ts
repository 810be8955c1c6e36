import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";
import { listMarks, type ServingMark } from "../lib/files/serving-marks.ts";
import { toDatabaseAddress } from "../store/postgres/to-database-address.ts";

type PlaceConfig = Pick<Config, "dataDir" | "readDatabaseUrl">;

/**
 * Refuses a command that would use another kind of database than the server that runs with its data folder: it would answer from
 * an old copy, or make another hub. `program` is the name of the command line.
 */
export async function obeyMarks(config: PlaceConfig, program = "hub"): Promise<void> {
  const isShared = config.readDatabaseUrl() !== null;
  const other = (await listMarks(config.dataDir)).find((mark) => mark.is_shared !== isShared);
  if (other !== undefined) throw refuseOther(config, other, program);
}

/** Refuses the database of another hub than that of the server that runs with the data folder. */
export async function refuseOtherHub(
  config: PlaceConfig,
  readHubId: () => Promise<string>,
): Promise<void> {
  const marks = await listMarks(config.dataDir);
  if (marks.length === 0) return;
  const hubId = await readHubId();
  const other = marks.find((mark) => mark.hub_id !== hubId);
  if (other !== undefined) throw refuseOther(config, other, "hub");
}

/** The database that a configuration names, without user and password. */
export function describeDatabase({ dataDir, readDatabaseUrl }: PlaceConfig): string {
  const url = readDatabaseUrl();
  return url === null ? `SQLite in ${dataDir}` : `PostgreSQL at ${toDatabaseAddress(url)}`;
}

function refuseOther(config: PlaceConfig, mark: ServingMark, program: string): HubError {
  const advice = `Give the command the settings of the server: HUB_DATABASE_URL and HUB_ENC_KEY as it has them. For an installed service, run: ${program} service run -- COMMAND`;
  return new HubError(
    "bad_configuration",
    `The server that runs with this data folder has another database than this command. ${advice}`,
    {
      localMessage: `The server that runs with the data folder ${config.dataDir} (process ${mark.pid}, ${mark.url}) uses ${mark.database}, and this command would use ${describeDatabase(config)}. ${advice}`,
    },
  );
}
