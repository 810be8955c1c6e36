import type { Config } from "../config.ts";
import { writeMark } from "../lib/files/serving-marks.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { formatKeyId, type KeyRing } from "../secrets/keys/key-ring.ts";
import { describeDatabase } from "./obey-marks.ts";

type MarkDeps = {
  config: Config;
  ring: KeyRing;
  readHubId(): Promise<string>;
  now(): number;
  log: Pick<Log, "warn">;
};

/** Says in the data folder what this server serves, until the returned function is called. */
export async function markServing(deps: MarkDeps, url: string): Promise<() => Promise<void>> {
  const { config, ring, log } = deps;
  try {
    return await writeMark(config.dataDir, {
      since: new Date(deps.now()).toISOString(),
      url,
      is_shared: config.readDatabaseUrl() !== null,
      database: describeDatabase(config),
      hub_id: await deps.readHubId(),
      key_id: formatKeyId(ring.sealing.id),
      settings: Object.fromEntries(config.settings.map(({ name, value }) => [name, value])),
    });
  } catch (err) {
    // Such as a full disk. The server works without it.
    log.warn({ err }, "Commands cannot see what this server serves: its mark was not written");
    return async () => {};
  }
}
