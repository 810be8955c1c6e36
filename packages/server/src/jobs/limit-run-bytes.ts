import type { Db } from "../store/database.ts";
import { findRunBytesCut, purgeRunBytes } from "../store/run-bytes.ts";
import type { Job } from "./create-jobs.ts";
import { purgeInBatches } from "./purge-runs.ts";

const hourMs = 3_600_000;
/** Runs of the last 24 hours are kept regardless of their size. */
const keptMsMin = 24 * hourMs;

type LimitDeps = {
  db: Db;
  readUsedBytes(): Promise<number>;
  now: () => number;
  /** The current limit; 0 means no limit. */
  readBytesMax(): Promise<number>;
};

/** Deletes the oldest audit rows if all together take more bytes than the setting allows. */
export function createBytesLimitJob(deps: LimitDeps): Job {
  return {
    name: "limit-run-bytes",
    everyMs: hourMs,
    runsAtStart: true,
    async run(isOver = () => false) {
      const { db } = deps;
      const bytesMax = await deps.readBytesMax();
      if (bytesMax === 0) return;
      const keptFrom = deps.now() - keptMsMin;
      const endedBefore = await findRunBytesCut(deps, { bytesMax, endedBefore: keptFrom });
      if (endedBefore === null) return;
      const isAll = await purgeInBatches(deps, endedBefore, isOver);
      // The next run of the job continues.
      if (isAll) await purgeRunBytes(db, { endedBefore });
    },
  };
}
