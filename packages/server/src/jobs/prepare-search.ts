import type { Job } from "./create-jobs.ts";

const halfMinuteMs = 30_000;

/** Follows changes of rows, so that vectors are made before a search needs them. */
export function createSearchJob({ prepareSearch }: { prepareSearch(): Promise<void> }): Job {
  return {
    name: "prepare-search",
    everyMs: halfMinuteMs,
    runsAtStart: true,
    run: prepareSearch,
  };
}
