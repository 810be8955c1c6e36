/** Protects: what is no id of a task costs the database nothing, and what a client may follow is its own. */
import { expect, test } from "bun:test";
import { toTestCall } from "../testing/open-test-operations.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

const principalOf = (id: string) =>
  toTestCall(["team"], { caller: { principal: { kind: "token", id } } });

test("The tasks of a client are those of its user and principal, in the order that it names", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub({ principal: { kind: "token", id: "one" } });
  owned.defer(() => hub.close());
  const { tasks } = hub.operations;
  const rowId = await hub.addAskedRow();
  const ids = [];
  for (const text of ["a", "b", "c"]) ids.push(await hub.ask(rowId, { text }));
  const [first = "", second = "", untold = ""] = ids;
  for (const id of [first, second]) await tasks.make(principalOf("one"), id);
  const named = [second, "0".repeat(32), untold, first, "x".repeat(1000)];
  expect(await tasks.listOwn(principalOf("one"), named)).toEqual([second, first]);
  expect(await tasks.listOwn(principalOf("two"), named)).toEqual([]);
});

test("What has not the form of an id is no task, and the database is not asked", async () => {
  const hub = await openAskedHub();
  const { tasks } = hub.operations;
  const ctx = hub.toContext();
  await hub.close();
  // Proves that the database would be asked.
  await expect(tasks.find(ctx, "0".repeat(32))).rejects.toThrow();
  for (const id of ["", "0".repeat(31), `${"0".repeat(32)}\n`, "x".repeat(4_000_000), "\0"]) {
    expect(await tasks.find(ctx, id)).toBeNull();
    expect(await tasks.cancel(ctx, id)).toBeNull();
    expect(await tasks.listOwn(ctx, [id])).toEqual([]);
  }
});
