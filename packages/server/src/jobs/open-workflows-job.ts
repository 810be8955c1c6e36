import type { Job } from "./create-jobs.ts";

/** Another process may have made the first workflow, so a server looks for one. */
export function createWorkflowJob(openIfAny: () => Promise<void>): Job {
  return { name: "workflows", everyMs: 1_000, runsAtStart: true, run: openIfAny };
}
