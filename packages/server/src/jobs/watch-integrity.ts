import type { Log } from "../lib/logs/create-log.ts";
import type { IntegrityCheck } from "../store/integrity/check-integrity.ts";
import type { Job } from "./create-jobs.ts";

type IntegrityDeps = {
  integrity: IntegrityCheck;
  log: Pick<Log, "error" | "warn">;
  now: () => number;
};

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** For some hundred gigabytes. */
const checkMsMax = 6 * hourMs;

/** Checks the database for damage, daily, and logs each hour that it is damaged. */
export function createIntegrityJob({ integrity, log, now }: IntegrityDeps): Job {
  return {
    name: "check-integrity",
    everyMs: hourMs,
    runsAtStart: false,
    async run() {
      const known = integrity.read();
      const isRecent = known !== null && now() - known.checkedAt < dayMs;
      const found = isRecent ? known : await integrity.check(checkMsMax);
      if (found === null) {
        log.warn({}, "The check of the database for damage took too long and was ended");
      } else if (found.faults.length > 0) {
        const advice =
          "Stop the hub, copy its data folder as it is, and restore the newest backup.";
        log.error({ faults: found.faults, advice }, "The database is damaged");
      }
    },
  };
}
