/** Protects: questions and stored results fill the disk no further than the records of their user may. */
import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "ran",
    (thrown: unknown) => (thrown instanceof HubError ? thrown.code : "no HubError"),
  );

test("Questions count against the bytes that a user's records may store in a day", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub({ userBytesPerDay: 60_000 });
  owned.defer(() => hub.close());
  const rowId = await hub.addAskedRow();
  const large = (text: string) => hub.call(rowId, { text: text.repeat(12_000) });
  expect(await codeOf(large("a"))).toBe("approval_required");
  expect(await codeOf(large("b"))).toBe("rate_limited");
  // The question that is stored already is found, and stores nothing.
  expect(await codeOf(large("a"))).toBe("approval_required");
});

test("The result of a call that ran is kept also beyond them", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub({ userBytesPerDay: 62_000, resultBytesMax: 1024 ** 2 });
  owned.defer(() => hub.close());
  const rowId = await hub.addAskedRow();
  const text = "r".repeat(15_000);
  const id = await hub.ask(rowId, { text });
  await hub.decide(id, "approved");
  await hub.call(rowId, { text });
  expect((await hub.call(rowId, { text })).value).toEqual({ sent: text });
  expect(hub.sent).toHaveLength(1);
});
