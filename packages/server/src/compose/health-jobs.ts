import type { Job } from "../jobs/create-jobs.ts";
import type { ServiceDeps } from "../services/service-deps.ts";

const everyMs = 60_000;
/** How soon the checks under way end when the job must. */
const stopMs = 250;

/** Checks the rows that are in use, on one server for all. */
export function createHealthJob(services: ServiceDeps): Job {
  return {
    name: "check-rows",
    everyMs,
    runsAtStart: false,
    async run(isOver = () => false) {
      // Loaded on first use.
      const { checkCalledRows } = await import("../services/rows/check-called-rows.ts");
      const abort = new AbortController();
      const timer = setInterval(() => {
        if (isOver()) abort.abort(new Error("The hub stops."));
      }, stopMs);
      try {
        await checkCalledRows(services, isOver, abort.signal);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
