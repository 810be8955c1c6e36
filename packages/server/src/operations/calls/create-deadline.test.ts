import { expect, spyOn, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createDeadline } from "./create-deadline.ts";

const reason = new HubError("cancelled", "An admin stopped it.");

function open({ cancel = new AbortController(), timeoutMs = 60_000 } = {}) {
  const deadline = createDeadline(cancel.signal, { name: "health check", timeoutMs });
  const endless = new Promise<never>(() => {});
  const passed = deadline.race(endless).catch((thrown: unknown) => thrown);
  deadline.watch();
  return { cancel, deadline, passed };
}

test("A task that reaches its time limit is told by its signal, and fails with the same reason", async () => {
  const { deadline, passed } = open({ timeoutMs: 1 });
  const failure = await passed;
  expect(failure).toMatchObject({
    code: "timeout",
    message: expect.stringContaining("The health check did not answer within 1 ms."),
  });
  expect(deadline.signal.reason).toBe(failure);
});

test.each([
  ["without a reason", undefined, { code: "cancelled", message: "The client cancelled the call." }],
  ["with the reason of the hub", reason, reason],
])("A task that is cancelled %s is told by its signal, and fails with the same reason", async (_, given, expected) => {
  const { cancel, deadline, passed } = open();
  cancel.abort(given);
  const failure = await passed;
  expect(failure).toMatchObject({ code: expected.code, message: expected.message });
  expect(deadline.signal.reason).toBe(failure);
  deadline.clear();
});

test("A task whose call was already cancelled ends at once", async () => {
  const cancel = new AbortController();
  cancel.abort(reason);
  const { deadline, passed } = open({ cancel });
  expect(deadline.signal.reason).toBe(reason);
  expect(await passed).toBe(reason);
  deadline.clear();
});

test("A task can be ended early, for a given reason", async () => {
  const { deadline, passed } = open();
  deadline.end(reason);
  expect(deadline.signal.reason).toBe(reason);
  expect(await passed).toBe(reason);
  deadline.clear();
});

test("A task that is over is neither cancelled nor timed out", async () => {
  const { cancel, deadline } = open({ timeoutMs: 1 });
  deadline.clear();
  cancel.abort(reason);
  // This timer would fire after the deadline's.
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(deadline.signal.aborted).toBeFalse();
});

test("A cancellation between the begin of a task and its watch ends the task when it is watched", async () => {
  const cancel = new AbortController();
  const deadline = createDeadline(cancel.signal, { name: "health check", timeoutMs: 60_000 });
  const passed = deadline.race(new Promise<never>(() => {}));
  cancel.abort(reason);
  expect(deadline.signal.aborted).toBeFalse();
  deadline.watch();
  expect(deadline.signal.reason).toBe(reason);
  await expect(passed).rejects.toBe(reason);
  deadline.clear();
});

test("The time before its watch counts for the limit of a task", () => {
  const deadline = createDeadline(new AbortController().signal, { name: "task", timeoutMs: 1 });
  const startedAt = performance.now();
  while (performance.now() - startedAt < 1);
  using set = spyOn(globalThis, "setTimeout");
  deadline.watch();
  expect(set.mock.calls.map(([, delayMs]) => delayMs)).toEqual([0]);
  deadline.clear();
});

test("Work that ended before its call was cancelled keeps its outcome", async () => {
  const cancel = new AbortController();
  cancel.abort(reason);
  const deadline = createDeadline(cancel.signal, { name: "task", timeoutMs: 60_000 });
  expect(await deadline.race(Promise.resolve("done"))).toBe("done");
  deadline.clear();
});
