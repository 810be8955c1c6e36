import { describe, expect, test } from "bun:test";
import {
  type ChangeFilter,
  type ChangeRecord,
  insertChange,
  listChanges,
} from "./changes-table.ts";
import { transaction } from "./database/database.ts";
import { toFirstId } from "./database/timed-ids.ts";
import { countSaves } from "./draft-saves.ts";
import type { TestStores } from "./testing/test-stores.ts";

const hourMs = 3_600_000;
const at = 1_700_000_000_000;

const change: Omit<ChangeRecord, "id" | "changedAt"> = {
  actorId: "a",
  actor: "ada@example.com",
  via: "session",
  tokenId: null,
  ipAddress: null,
  action: "row.update",
  detail: "{}",
  targetKind: "row",
  targetId: "r",
  target: "Row",
};

/** The record of changes: its filters. */
export function describeChanges(stores: () => TestStores): void {
  /** Its author's machine has a clock that differs from the shared one. */
  async function insert(
    changedAt: number,
    idAt = changedAt,
    given: Partial<ChangeRecord> = {},
  ): Promise<string> {
    const id = `${toFirstId(idAt)}-7000-8000-${crypto.randomUUID().slice(-12)}`;
    const made = { ...change, id, changedAt, ...given };
    await transaction(stores().store.db, (trx) => insertChange(trx, made));
    return id;
  }
  const list = async (filter: Partial<ChangeFilter>) =>
    (await listChanges(stores().store.db, { limit: 100, ...filter })).map(({ id }) => id);

  describe("the record of changes", () => {
    test("Changes of a span are found page by page, also from a machine whose clock differs", async () => {
      await insert(at - 1);
      const first = await insert(at);
      const early = await insert(at + 1, at - hourMs);
      const late = await insert(at + 2, at + 2 * hourMs);
      await insert(at + hourMs);
      const span = { changedFrom: at, changedBefore: at + hourMs };
      expect(await list(span)).toEqual([late, first, early]);
      expect(await list({ ...span, limit: 2 })).toEqual([late, first]);
      expect(await list({ ...span, before: first })).toEqual([early]);
      expect(await list({ ...span, action: "row.delete" })).toEqual([]);
    });

    test("Saves of a draft that follow each other are one entry, until something else comes between", async () => {
      const workflow = { targetKind: "workflow", targetId: crypto.randomUUID(), target: "Report" };
      const add = (minute: number, given: Partial<ChangeRecord> = {}) => {
        const time = at + 10 * 24 * hourMs + minute * 60_000;
        return insert(time, time, { ...workflow, action: "workflow.save", ...given });
      };
      const since = await add(0);
      await add(1);
      // Of another workflow, so that it does not come between.
      const other = await add(2, { targetId: crypto.randomUUID() });
      const first = await add(3);
      const byBen = await add(4, { actorId: "b" });
      const second = await add(5);
      const publish = await add(6, { action: "workflow.publish" });
      await add(7);
      const third = await add(8);
      const afterPause = await add(8 + 60);
      const span = { changedFrom: at + 9 * 24 * hourMs, isGrouped: true };
      const all = [afterPause, third, publish, second, byBen, first, other];
      expect(await list(span)).toEqual(all);
      // The pages of the list together are the list.
      expect(await list({ ...span, limit: 3 })).toEqual(all.slice(0, 3));
      expect(await list({ ...span, before: publish })).toEqual(all.slice(3));
      const { db } = stores().store;
      const newest = { ...workflow, id: first, actorId: "a", via: "session" };
      const changedAt = at + 10 * 24 * hourMs + 3 * 60_000;
      expect(await countSaves(db, { ...newest, changedAt })).toEqual({
        count: 3,
        since: changedAt - 3 * 60_000,
      });
      // Without grouping, every one of them is there.
      const saves = await list({ changedFrom: span.changedFrom, action: "workflow.save" });
      expect(saves).toHaveLength(9);
      expect(saves.at(-1)).toBe(since);
    });

    test("A page has what stands before a thousand saves of one draft", async () => {
      const before = await insert(at);
      const begun = at + hourMs;
      const toSave = (index: number): ChangeRecord => ({
        ...change,
        id: `${toFirstId(begun + index)}-7000-8000-${crypto.randomUUID().slice(-12)}`,
        changedAt: begun + index,
        action: "workflow.save",
        targetKind: "workflow",
        targetId: "w",
      });
      const saves = Array.from({ length: 1_100 }, (_, index) => toSave(index));
      await transaction(stores().store.db, async (trx) => {
        for (const save of saves) await insertChange(trx, save);
      });
      const newest = saves.at(-1)?.id ?? "";
      expect(await list({ isGrouped: true })).toEqual([newest, before]);
      expect(await list({ isGrouped: true, limit: 1 })).toEqual([newest]);
      expect(await list({ isGrouped: true, before: newest })).toEqual([before]);
    });
  });
}
