import type { Db } from "../store/database/database.ts";
import { countRunHours } from "../store/runs/run-hours.ts";
import type { Job } from "./create-jobs.ts";

/** Another process may commit a run shortly after its end time. */
const commitMsMax = 5_000;

type CountDeps = { db: Db; now: () => number };

/** Counts finished runs by the hour, for the statistics of the history. */
export function createCountJob({ db, now }: CountDeps): Job {
  return {
    name: "count-runs",
    everyMs: 10_000,
    runsAtStart: false,
    async run(isOver = () => false) {
      const endedBefore = now() - commitMsMax;
      for (;;) {
        const { isAll } = await countRunHours(db, { endedBefore });
        if (isAll || isOver()) return;
        // Lets calls run between two batches.
        await Bun.sleep(0);
      }
    },
  };
}
