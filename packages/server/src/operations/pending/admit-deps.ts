import type { DailyAmounts } from "../../lib/limits/daily-amounts.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";

/** What judges and stores the calls that wait for a person. */
export type AdmitDeps = {
  db: Db;
  ring: RingHolder;
  now(): number;
  instanceId: string;
  /** What the records of a user's calls store: `HUB_AUDIT_USER_BYTES_PER_DAY`. */
  recordedBytes: DailyAmounts;
  /** The address of a server of this hub; null if none runs. */
  findBaseUrl(): Promise<string | null>;
};
