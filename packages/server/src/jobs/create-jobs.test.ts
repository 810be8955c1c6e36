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

test("A job that is woken runs now, and once more after it if it runs already", async () => {
  const jobs = createJobs({ onFailure: () => {} });
  const runs: Array<() => void> = [];
  const job = {
    name: "poll",
    everyMs: 3_600_000,
    runsAtStart: false,
    run: () => new Promise<void>((resolve) => runs.push(resolve)),
  };
  jobs.start(job);
  jobs.wake("unknown");
  for (let count = 0; count < 3; count += 1) jobs.wake("poll");
  expect(runs).toHaveLength(1);
  runs[0]?.();
  while (runs.length < 2) await new Promise((resolve) => setImmediate(resolve));
  jobs.wake("poll");
  const stopped = jobs.stop();
  runs[1]?.();
  await stopped;
  expect(runs).toHaveLength(2);
});
