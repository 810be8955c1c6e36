import { expect, test } from "bun:test";
import { toKysely } from "../database/kysely.ts";
import { findRun } from "../runs/runs-table.ts";
import { newFinishedRun, newRow } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { makeRowId } from "./row-beginnings.ts";
import {
  deleteRow,
  findRow,
  insertRow,
  listRows,
  putRowValues,
  setRowTags,
  updateRow,
} from "./rows-table.ts";
import { listDisabledTypes, setOperationState, setTypeState } from "./switches.ts";

/** Rows, their values and the states of operations and connector types. */
export function describeRows(stores: () => TestStores): void {
  const sealed = new Uint8Array([0, 255, 1, 254]);

  test("A row is read as it was stored, with its sealed bytes", async () => {
    const { db } = stores().store;
    const values = [
      { key: "base_url", value: "https://shop.example", sealed: null },
      { key: "token", value: null, sealed },
    ];
    const inserted = await insertRow(db, newRow({ id: "r-1", tags: ["Ops", "everyone"], values }));
    expect(inserted).toMatchObject({
      id: "r-1",
      connectorKey: "http",
      label: "Shop",
      description: "The shop's API",
      disabled: false,
      version: 1,
      tags: ["everyone", "ops"],
      values,
      operationStates: {},
    });
    expect(await findRow(db, "r-1")).toEqual(inserted);
    expect(await findRow(db, "none")).toBeNull();
  });

  test("A made id begins like that of no row, of no deleted row and of no row with a given id", async () => {
    const { db } = stores().store;
    const present = await insertRow(db, newRow({ id: await makeRowId(db), hasMadeId: true }));
    const deleted = await insertRow(db, newRow({ id: await makeRowId(db), hasMadeId: true }));
    const given = await insertRow(db, newRow());
    await deleteRow(db, deleted.id);
    const taken = [present, deleted, given].map(
      ({ id }) => `${id.slice(0, 8)}-1111-4111-8111-111111111111`,
    );
    const free = crypto.randomUUID();
    const ids = [...taken, free];
    expect(await makeRowId(db, () => ids.shift() ?? "")).toBe(free);
    expect(ids).toEqual([]);
    for (const id of taken) {
      const refused = insertRow(db, newRow({ id, hasMadeId: true }));
      await expect(refused).rejects.toMatchObject({ code: "conflict" });
      expect(await findRow(db, id)).toBeNull();
    }
    await expect(makeRowId(db, () => taken[0] ?? "")).rejects.toThrow("No random id");
  });

  test("Of two rows that are made at once with ids that begin alike, one is stored", async () => {
    const { db } = stores().store;
    const beginning = crypto.randomUUID().slice(0, 8);
    const ids = [1, 2, 3].map((end) => `${beginning}-1111-4111-8111-11111111111${end}`);
    const made = await Promise.allSettled(
      ids.map((id) => insertRow(db, newRow({ id, hasMadeId: true }))),
    );
    const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(refused).toEqual(["conflict", "conflict"]);
    const stored = await Promise.all(ids.map((id) => findRow(db, id)));
    expect(stored.filter((row) => row !== null)).toHaveLength(1);
  });

  test("A given id may begin like another, and a deleted row may be made again", async () => {
    const { db } = stores().store;
    const first = await insertRow(db, newRow({ id: await makeRowId(db), hasMadeId: true }));
    const alike = `${first.id.slice(0, 8)}-1111-4111-8111-111111111111`;
    await insertRow(db, newRow({ id: alike }));
    await deleteRow(db, alike);
    await deleteRow(db, first.id);
    await insertRow(db, newRow({ id: first.id, hasMadeId: true }));
    expect(await findRow(db, first.id)).not.toBeNull();
  });

  test("The beginning of a row without one, of a server of the version before, is kept when it is deleted", async () => {
    const { db } = stores().store;
    const { id } = await insertRow(db, newRow());
    await toKysely(db).deleteFrom("row_beginnings").execute();
    await deleteRow(db, id);
    const ids = [id, crypto.randomUUID()];
    expect(await makeRowId(db, () => ids.shift() ?? "")).not.toBe(id);
  });

  test("Rows are listed with their values and tags, for one connector or for all", async () => {
    const { db } = stores().store;
    const value = { key: "base_url", value: "https://a.example", sealed: null };
    const first = await insertRow(db, newRow({ tags: ["a", "b"], values: [value] }));
    const second = await insertRow(db, newRow({ connectorKey: "logs", tags: ["b"] }));
    await setOperationState(db, second.id, "query", false, Date.now());
    const listed = await listRows(db);
    expect(listed.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(await listRows(db, { connectorKey: "http" })).toEqual([first]);
    expect(await listRows(db, { connectorKey: "logs" })).toMatchObject([
      { id: second.id, tags: ["b"], values: [], operationStates: { query: false } },
    ]);
    expect(await listRows(db, { connectorKey: "none" })).toEqual([]);
    expect(await listRows(db, { ids: [first.id, "none"] })).toEqual([first]);
    expect(await listRows(db, { ids: [] })).toEqual([]);
  });

  test("A change of a row affects only the members that it names, and increments its version", async () => {
    const { db } = stores().store;
    const row = await insertRow(db, newRow({ tags: ["ops"] }));
    expect(await updateRow(db, row.id, { disabled: true }, Date.now())).toMatchObject({
      label: "Shop",
      disabled: true,
      version: 2,
      tags: ["ops"],
    });
    expect(
      await updateRow(db, row.id, { label: "Store", description: "", disabled: false }, Date.now()),
    ).toMatchObject({ label: "Store", description: "", disabled: false, version: 3 });
    expect(await updateRow(db, "none", { label: "x" }, Date.now())).toBeNull();
  });

  test("Setting a row's tags replaces all of them", async () => {
    const { db } = stores().store;
    const { id } = await insertRow(db, newRow({ tags: ["a", "b"] }));
    expect(await setRowTags(db, id, ["B", "c"], Date.now())).toBe(true);
    expect(await findRow(db, id)).toMatchObject({ tags: ["b", "c"], version: 2 });
    expect(await setRowTags(db, "none", ["c"], Date.now())).toBe(false);
  });

  test("Values are set, replaced and removed one by one", async () => {
    const { db } = stores().store;
    const { id } = await insertRow(
      db,
      newRow({
        values: [
          { key: "a", value: "1", sealed: null },
          { key: "b", value: "2", sealed: null },
          { key: "c", value: "3", sealed: null },
        ],
      }),
    );
    const put = await putRowValues(
      db,
      id,
      [
        { key: "a", value: null, sealed },
        { key: "b", value: null, sealed: null },
        { key: "d", value: "", sealed: null },
      ],
      Date.now(),
    );
    expect(put).toBe(true);
    expect(await findRow(db, id)).toMatchObject({
      version: 2,
      values: [
        { key: "a", value: null, sealed },
        { key: "c", value: "3", sealed: null },
        { key: "d", value: "", sealed: null },
      ],
    });
    expect(await putRowValues(db, "none", [], Date.now())).toBe(false);
  });

  test("A value that is both plain and sealed is refused", async () => {
    const { db } = stores().store;
    const both = newRow({ values: [{ key: "token", value: "plain", sealed }] });
    await expect(insertRow(db, both)).rejects.toThrow();
    expect(await findRow(db, both.id)).toBeNull();
  });

  test("An operation can be enabled and disabled, under any key", async () => {
    const { db } = stores().store;
    const { id } = await insertRow(db, newRow());
    expect(await setOperationState(db, id, "get", false, Date.now())).toBe(true);
    expect(await setOperationState(db, id, "__proto__", false, Date.now())).toBe(true);
    expect(await setOperationState(db, id, "get", true, Date.now())).toBe(true);
    const states = (await findRow(db, id))?.operationStates ?? {};
    expect(Object.entries(states).sort()).toEqual([
      ["__proto__", false],
      ["get", true],
    ]);
    expect(await setOperationState(db, "none", "get", true, Date.now())).toBe(false);
  });

  test("A connector type can be enabled and disabled", async () => {
    const { db, reads } = stores().store;
    await setTypeState(db, "logs", true);
    await setTypeState(db, "http", true);
    await setTypeState(db, "logs", false);
    expect(await listDisabledTypes(db)).toEqual(new Set(["http"]));
    expect((await reads.loadSnapshot()).typeDisabled).toEqual(new Set(["http"]));
  });

  test("Deleting a row deletes its parts and keeps its runs", async () => {
    const { db, runs } = stores().store;
    const row = newRow({ tags: ["a"], values: [{ key: "a", value: "1", sealed: null }] });
    await insertRow(db, row);
    await setOperationState(db, row.id, "get", false, Date.now());
    const run = newFinishedRun({ connectorId: row.id });
    await runs.insertFinished(run);
    expect(await deleteRow(db, row.id)).toBe(true);
    expect(await deleteRow(db, row.id)).toBe(false);
    for (const table of ["row_tags", "row_values", "operation_states"] as const) {
      expect(await toKysely(db).selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await findRun(db, run.id)).toMatchObject({ connectorId: row.id });
  });

  test("The snapshot equals the list, at one revision", async () => {
    const { db, reads } = stores().store;
    for (const label of ["one", "two", "three"]) {
      const values = [
        { key: "token", value: null, sealed },
        { key: "base_url", value: label, sealed: null },
      ];
      const { id } = await insertRow(db, newRow({ label, tags: ["z", "a", label], values }));
      await setOperationState(db, id, "get", false, Date.now());
    }
    const snapshot = await reads.loadSnapshot();
    expect(snapshot.rows).toEqual(await listRows(db));
    expect(snapshot.rows).toHaveLength(3);
    expect(snapshot.revision).toBe(await reads.readRevision());
  });
}
