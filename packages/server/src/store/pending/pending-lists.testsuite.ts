import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import type { PendingState } from "../database/tables/pending-tables.ts";
import { insertTestPendingCall, insertTestPermit } from "../testing/new-pending-call.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import type { PendingCall } from "./pending-call-record.ts";
import { findPendingCall } from "./pending-calls-table.ts";
import { putDeputy } from "./pending-deputies.ts";
import {
  countPendingCalls,
  findPendingCallAt,
  isNamedFor,
  listPendingMarks,
  type PendingFilter,
} from "./pending-lists.ts";
import type { PendingReader } from "./pending-readers.ts";
import { endPermit, findPermit, listPermitPage } from "./permits-table.ts";

const pendingStates: readonly PendingState[] = [
  ...(["open", "approved", "running", "done", "unknown", "denied"] as const),
  ...(["expired", "changed", "ended"] as const),
];

const toReader = (given: Partial<PendingReader> = {}): PendingReader => ({
  userId: crypto.randomUUID(),
  tags: [],
  alsoAs: null,
  ...given,
});

/** Lists of calls that wait, their deputies, and permits. */
export function describePendingLists(stores: () => TestStores): void {
  const db = () => stores().store.db;
  const byTag = (tag: string) => ({ kind: "tags" as const, tags: [tag] });

  async function listIds(filter: PendingFilter, reader: PendingReader, limit = 100) {
    const span = { after: undefined, scannedMax: 10_000, limit };
    return (await listPendingMarks(db(), filter, reader, span)).map(({ id }) => id);
  }

  test("Calls are found by their caller, by the tags that decide and by a deputy, newest first", async () => {
    const tag = `t-${crypto.randomUUID()}`;
    const lead = toReader({ tags: ["everyone", tag] });
    const caller = toReader();
    const admin = toReader({ alsoAs: caller.userId });
    const deputy = toReader();
    const of = { userId: caller.userId, excluded: [caller.userId] };
    const older = await insertTestPendingCall(db(), { ...of, decider: byTag(tag), createdAt: 10 });
    const newer = await insertTestPendingCall(db(), { ...of, createdAt: 20, excluded: [] });
    const decider = { at: 15 };
    expect(await listIds({ visibleTo: caller }, caller)).toEqual([newer.id, older.id]);
    expect(await listIds({ asked: caller }, caller)).toEqual([newer.id]);
    expect(await listIds({ asked: lead }, lead)).toEqual([older.id]);
    expect(await listIds({ asked: admin }, admin)).toEqual([newer.id]);
    expect(await listIds({ asked: deputy }, deputy)).toEqual([]);
    expect(await isNamedFor(db(), older.id, deputy)).toBe(false);
    const named = { userId: deputy.userId, namedBy: lead.userId };
    await transaction(db(), (trx) => putDeputy(trx, older.id, named, 11));
    expect(await listIds({ asked: deputy }, deputy)).toEqual([older.id]);
    const mine = {
      state: "open",
      asked: lead,
      decider: { ...decider, userId: lead.userId },
    } as const;
    const span = { after: undefined, scannedMax: 10_000 };
    expect(await countPendingCalls(db(), mine, span)).toBe(1);
    // Who may not decide has nothing that waits.
    const excluded = { ...mine, decider: { ...decider, userId: caller.userId } };
    expect(await countPendingCalls(db(), excluded, span)).toBe(0);
    const late = { ...mine, decider: { userId: lead.userId, at: older.expiresAt } };
    expect(await countPendingCalls(db(), late, span)).toBe(0);
    const [mark] = await listPendingMarks(db(), { asked: lead }, lead, { ...span, limit: 1 });
    expect(mark).toMatchObject({
      isNamed: true,
      deputyId: deputy.userId,
      deputyBy: lead.userId,
      summary: { rowLabel: "Rows", values: [{ label: "name", value: "Ada", is_cut: false }] },
    });
    const end = await findPendingCallAt(db(), {}, { createdAt: 21, id: "" }, 0);
    expect(end).toEqual({ createdAt: 20, id: newer.id });
  });

  test("Decided calls are found without those that wait, and with those whose time is over", async () => {
    const caller = toReader();
    const of = { userId: caller.userId };
    const denied = await insertTestPendingCall(db(), { ...of, state: "denied", createdAt: 30 });
    const late = await insertTestPendingCall(db(), { ...of, createdAt: 40, expiresAt: 100 });
    await insertTestPendingCall(db(), { ...of, createdAt: 50, expiresAt: 101 });
    const decided = { visibleTo: caller, decidedBy: 100 };
    expect(await listIds(decided, caller)).toEqual([late.id, denied.id]);
  });

  test("Calls are found by the outcome of their question, and late ones have expired", async () => {
    const caller = toReader();
    const at = 1_000;
    const add = async (state: PendingState, given: Partial<PendingCall> = {}) => {
      const of = { userId: caller.userId, createdAt: 10, expiresAt: at + 1 };
      await insertTestPendingCall(db(), {
        ...of,
        state,
        id: `${caller.userId}-${state}`,
        ...given,
      });
    };
    const id = (name: string) => `${caller.userId}-${name}`;
    for (const state of pendingStates) await add(state);
    await add("approved", { id: id("not used") });
    await add("open", { id: id("not decided"), expiresAt: at });
    const until = "update pending_calls set approved_until = ? where id = ?";
    await runSql(db(), until, at + 1, id("approved"));
    await runSql(db(), until, at, id("not used"));
    const outcomes = {
      approved: ["approved", "done", "running", "unknown"],
      denied: ["denied"],
      ended: ["changed", "ended"],
      expired: ["expired", "not decided", "not used"],
    };
    for (const outcome of ["approved", "denied", "ended", "expired"] as const) {
      const found = await listIds({ visibleTo: caller, ended: { outcome, at } }, caller);
      expect([outcome, found.toSorted()]).toEqual([outcome, outcomes[outcome].map(id)]);
    }
  });

  test("A deputy is replaced and taken back, and not named for a call that is over", async () => {
    const [first, second] = [toReader(), toReader()];
    const { id, expiresAt } = await insertTestPendingCall(db(), { decider: byTag("x") });
    const put = (userId: string | null, at = 2_000) =>
      transaction(db(), (trx) =>
        putDeputy(trx, id, userId === null ? null : { userId, namedBy: "lead" }, at),
      );
    expect(await put(first.userId)).toBe(true);
    expect(await put(second.userId)).toBe(true);
    const areNamed = async () => [
      await isNamedFor(db(), id, first),
      await isNamedFor(db(), id, second),
    ];
    expect(await areNamed()).toEqual([false, true]);
    expect(await put(null)).toBe(true);
    expect(await areNamed()).toEqual([false, false]);
    expect((await findPendingCall(db(), id))?.deputyId).toBeNull();
    expect(await put(first.userId, expiresAt)).toBe(false);
  });

  test("A permit is listed while it is in force, and ends once", async () => {
    const userId = crypto.randomUUID();
    const { id, expiresAt } = await insertTestPermit(db(), { userId });
    const list = async (at: number) =>
      (await listPermitPage(db(), { userIds: [userId], at, limit: 10 })).map((one) => one.id);
    expect(await list(2_000)).toEqual([id]);
    expect(await list(expiresAt)).toEqual([]);
    expect(await endPermit(db(), { id, at: expiresAt })).toBe(false);
    expect(await endPermit(db(), { id, at: 2_000 })).toBe(true);
    expect(await endPermit(db(), { id, at: 2_000 })).toBe(false);
    expect(await list(2_000)).toEqual([]);
    expect((await findPermit(db(), id))?.endedAt).toBe(2_000);
  });
}
