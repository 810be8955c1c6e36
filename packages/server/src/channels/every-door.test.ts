/**
 * Protects: all ways to a row's operations ask the same admission. Each world has one fault, which one
 * gate finds. What each door must answer follows from this gate and from the gates that the door asks.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../caller.ts";
import { toTestCall } from "../operations/testing/open-test-operations.ts";
import { updateRow } from "../store/rows/rows-table.ts";
import {
  addRow,
  type DoorHub,
  type Outcome,
  openDoorHub,
  type Target,
  worlds,
} from "./testing/door-worlds.ts";
import { doors, toOutcome } from "./testing/doors.ts";

let hub: DoorHub;
beforeAll(async () => {
  hub = await openDoorHub();
});
afterAll(() => hub.close());

const callers: Record<string, Caller> = {
  admin: toTestCall([], { caller: { role: "admin" } }).caller,
  user: toTestCall(["lab"]).caller,
};

describe.each(Object.keys(worlds))("%s", (title) => {
  test("All doors agree with the one gate that is closed", async () => {
    const world = worlds[title];
    if (world === undefined) throw new Error("There is no such world.");
    const slug = `channel-${Object.keys(worlds).indexOf(title)}`;
    const target: Target = {
      rowId: "",
      key: "read",
      slug,
      hubs: [],
      tests: "tag",
      readsOnly: false,
      ...(await world.arrange(hub)),
    };
    const { rowId, tests } = target;
    await updateRow(hub.store.db, rowId, { slug, tests }, Date.now());
    const expected: Record<string, Outcome> = {};
    const found: Record<string, Outcome> = {};
    for (const [who, caller] of Object.entries(callers)) {
      const gate = world.isForAdmins && who === "admin" ? null : world.gate;
      for (const [name, door] of Object.entries(doors)) {
        const skips = [...door.skips, ...((who === "admin" && door.skipsOfAdmins) || [])];
        const isTest = name === "test";
        const isOpen = gate === null || skips.includes(gate) || (gate === "testable" && !isTest);
        const isWidgetTest = isTest && who === "admin" && target.key === "widget";
        expected[`${who}: ${name}`] = isOpen || isWidgetTest ? "open" : (door.closed ?? world.code);
        found[`${who}: ${name}`] = await door.ask(hub, caller, target);
      }
    }
    expect(Object.keys(found)).toHaveLength(22);
    expect(found).toEqual(expected);
  });
});

test("Users may look up what the operations need that they can call, and admins what the row needs", async () => {
  const { rowId } = await addRow(hub);
  const { admin, user } = callers;
  if (admin === undefined || user === undefined) throw new Error("There are no callers.");
  const lookUp = (caller: Caller, source: string, id = rowId) =>
    toOutcome(
      hub.operations.rows.lookUp(toTestCall([], { caller }), { rowId: id, source, query: "" }),
    );
  expect([await lookUp(user, "things"), await lookUp(user, "chores")]).toEqual([
    "open",
    "invalid_params",
  ]);
  expect([await lookUp(admin, "things"), await lookUp(admin, "chores")]).toEqual(["open", "open"]);
  const { rowId: disabled } = await addRow(hub, { disabled: true });
  expect(await lookUp(user, "things", disabled)).toBe("invalid_params");
  expect(await lookUp(admin, "things", disabled)).toBe("open");
});
