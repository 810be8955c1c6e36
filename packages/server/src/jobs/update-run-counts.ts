import type { Db } from "../store/database/database.ts";
import { countRowActivity, rollRowActivity } from "../store/runs/count-activity.ts";
import { countRunHours } from "../store/runs/run-hours.ts";
import type { Job } from "./create-jobs.ts";

/** Another process may commit a run shortly after its end time. */
const commitMsMax = 5_000;

type CountDeps = { db: Db; now: () => number };

/** Counts finished runs by the hour, for the statistics of the history, and by row, for its state. */
export function createCountJob({ db, now }: CountDeps): Job {
  return {
    name: "count-runs",
    everyMs: 10_000,
    runsAtStart: false,
    async run(isOver = () => false) {
      const endedBefore = now() - commitMsMax;
      await repeat(() => countRunHours(db, { endedBefore }), isOver);
      await repeat(() => countRowActivity(db, { endedBefore, now: now() }), isOver);
      await repeat(() => rollRowActivity(db, now()), isOver);
    },
  };
}

async function repeat(
  countSome: () => Promise<{ isAll: boolean }>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const { isAll } = await countSome();
    if (isAll) return;
    // Lets calls run between two batches.
    await Bun.sleep(0);
  }
}
