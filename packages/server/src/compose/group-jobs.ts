import type { Job } from "../jobs/create-jobs.ts";
import type { Store } from "../store/store.ts";

const minuteMs = 60_000;

/** Finishes what a change of the lines of groups began, such as after the end of its process. */
export function createGroupJob({
  store: { db },
  now,
}: {
  store: Pick<Store, "db">;
  now: () => number;
}): Job {
  return {
    name: "apply-groups",
    everyMs: minuteMs,
    runsAtStart: true,
    async run(isOver) {
      const { applyLines } = await import("../identity/groups/apply-lines.ts");
      await applyLines({ db, now }, isOver);
    },
  };
}
