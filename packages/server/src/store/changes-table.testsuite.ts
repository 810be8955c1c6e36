import { describe, expect, test } from "bun:test";
import {
  type ChangeFilter,
  type ChangeRecord,
  insertChange,
  listChanges,
} from "./changes-table.ts";
import { transaction } from "./database/database.ts";
import { toFirstId } from "./database/timed-ids.ts";
import type { TestStores } from "./testing/test-stores.ts";

const hourMs = 3_600_000;
const at = 1_700_000_000_000;

/** The record of changes: its filters. */
export function describeChanges(stores: () => TestStores): void {
  /** Its author's machine has a clock that differs from the shared one. */
  async function insert(changedAt: number, idAt = changedAt): Promise<string> {
    const id = `${toFirstId(idAt)}-7000-8000-${crypto.randomUUID().slice(-12)}`;
    const change: ChangeRecord = {
      id,
      changedAt,
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
    await transaction(stores().store.db, (trx) => insertChange(trx, change));
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
  });
}
