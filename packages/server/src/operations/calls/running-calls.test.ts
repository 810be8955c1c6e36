import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { createRunningCalls } from "./running-calls.ts";

test("Only a call that still runs in the next turn of the event loop is told so, once", async () => {
  const running = createRunningCalls();
  const outlasting: string[] = [];
  const enter = (name: string) =>
    running.enter(
      name,
      () => {},
      () => outlasting.push(name),
    );
  enter("long");
  const end = enter("short");
  end();
  expect(outlasting).toEqual([]);
  await setImmediate();
  expect(outlasting).toEqual(["long"]);
  enter("later");
  await setImmediate();
  await setImmediate();
  expect(outlasting).toEqual(["long", "later"]);
  expect(running.count()).toBe(2);
});

test("A call is cancelled in the turn in which it began", () => {
  const running = createRunningCalls();
  const reasons: string[] = [];
  running.enter(
    "run",
    ({ message }) => reasons.push(message),
    () => {},
  );
  expect([running.cancel("run", "Stopped."), running.cancel("other", "Stopped.")]).toEqual([
    true,
    false,
  ]);
  expect(reasons).toEqual(["Stopped."]);
});
