import { expect, test } from "bun:test";
import { createJobs } from "./create-jobs.ts";

test("A failed job is reported, and stop waits for running jobs", async () => {
  const failures: string[] = [];
  const jobs = createJobs({ onFailure: (name) => failures.push(name) });
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDone = false;
  jobs.start({
    name: "bad",
    everyMs: 3_600_000,
    runsAtStart: true,
    run: () => Promise.reject(new Error("no")),
  });
  jobs.start({
    name: "slow",
    everyMs: 3_600_000,
    runsAtStart: true,
    async run() {
      await promise;
      isDone = true;
    },
  });
  const stopped = jobs.stop();
  expect(isDone).toBe(false);
  resolve();
  await stopped;
  expect([isDone, failures]).toEqual([true, ["bad"]]);
});
