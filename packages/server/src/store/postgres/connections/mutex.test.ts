import { expect, test } from "bun:test";
import { createMutex } from "./mutex.ts";

test("Work runs one at a time in the order of requests, also after a failure", async () => {
  const { take } = createMutex();
  const steps: string[] = [];
  const run = (name: string) =>
    take(async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
      if (name === "a") throw new Error("a fails");
      return name;
    });
  const settled = await Promise.allSettled(["a", "b", "c"].map(run));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(steps).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("Work for which the mutex is not free in time is unavailable, and does not run", async () => {
  const { take } = createMutex(20);
  const first = Promise.withResolvers<void>();
  const running = take(() => first.promise);
  const ran: string[] = [];
  const late = take(async () => ran.push("late"));
  await expect(late).rejects.toMatchObject({ code: "unavailable" });
  const next = take(async () => ran.push("next"));
  first.resolve();
  await Promise.all([running, next]);
  expect(ran).toEqual(["next"]);
});
