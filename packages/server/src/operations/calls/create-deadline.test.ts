import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createDeadline } from "./create-deadline.ts";

const reason = new HubError("cancelled", "An admin stopped it.");

function open({ cancel = new AbortController(), timeoutMs = 60_000 } = {}) {
  const deadline = createDeadline(cancel.signal, { name: "health check", timeoutMs });
  const passed = deadline.passed.catch((thrown: unknown) => thrown);
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
