import { expect, test } from "bun:test";
import type { Db } from "../database/database.ts";
import { deleteRow, insertRow } from "../rows/rows-table.ts";
import { newRow, newUser } from "../test-data.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { deleteSession, insertSession } from "../users/sessions-table.ts";
import { insertUser, updateUser } from "../users/users-table.ts";
import {
  deleteChatAccount,
  findChatAccount,
  findLinkedRow,
  insertChatAccount,
  listChatAccounts,
} from "./chat-accounts-table.ts";
import {
  claimChatLink,
  confirmChatLink,
  countLinkTry,
  deleteChatLink,
  findChatLinkByCode,
  findChatLinkOf,
  findClaimedLink,
  findLinkTries,
  insertChatLink,
} from "./chat-links.ts";

/** Chat accounts of users, and the links that make them. */
export function describeChatAccounts(stores: () => TestStores): void {
  const account = (userId: string, given: object = {}) => ({
    id: crypto.randomUUID(),
    userId,
    kind: "slack",
    teamId: "T1",
    accountId: "U1",
    accountName: "ada",
    teamName: "Acme",
    createdAt: 1,
    rowId: null,
    ...given,
  });

  test("A chat account belongs to one user, also on a platform without workspaces", async () => {
    const { db } = stores().store;
    const ann = await insertUser(db, newUser());
    const bob = await insertUser(db, newUser({ email: "bob@example.com" }));
    for (const given of [{}, { kind: "telegram", teamId: null }]) {
      const first = account(ann.id, given);
      await insertChatAccount(db, first);
      await expect(insertChatAccount(db, account(bob.id, given))).rejects.toThrow();
      expect(await findChatAccount(db, first)).toEqual({ ...first, status: "active" });
    }
    // The same id in another workspace is another person.
    await insertChatAccount(db, account(bob.id, { teamId: "T2" }));
    expect((await findChatAccount(db, account("", { teamId: "T2" })))?.userId).toBe(bob.id);
    expect(await findChatAccount(db, account("", { teamId: null }))).toBeNull();
  });

  test("The chat accounts of a user are listed and deleted, and known by the user's status", async () => {
    const { db } = stores().store;
    const { id } = await insertUser(db, newUser());
    const [first, second] = [account(id), account(id, { accountId: "U2", createdAt: 2 })];
    await insertChatAccount(db, second);
    await insertChatAccount(db, first);
    expect(await listChatAccounts(db, id)).toEqual([first, second]);
    await deleteChatAccount(db, first.id);
    expect(await listChatAccounts(db, id)).toEqual([second]);
    await updateUser(db, id, { status: "disabled" }, 3);
    expect((await findChatAccount(db, second))?.status).toBe("disabled");
    await runSql(db, "delete from users where id = ?", id);
    expect(await findChatAccount(db, second)).toBeNull();
  });

  const codeHash = new Uint8Array(32).fill(7);
  async function addLink(db: Db, given: { email?: string; hash?: number } = {}) {
    const user = await insertUser(db, newUser({ email: given.email ?? "ann@example.com" }));
    const sessionId = crypto.randomUUID();
    const tokenHash = crypto.getRandomValues(new Uint8Array(32));
    const session = { id: sessionId, userId: user.id, ipAddress: null, userAgent: null };
    const times = { createdAt: 1, lastSeenAt: 1, expiresAt: 1_000 };
    await insertSession(db, { ...session, ...times, tokenHash });
    const link = { id: crypto.randomUUID(), userId: user.id, sessionId, expiresAt: 100 };
    const hash = new Uint8Array(32).fill(given.hash ?? 7);
    await insertChatLink(db, { ...link, codeHash: hash }, 1);
    return link;
  }

  test("A link is found by its code until it expires, and a new one replaces it", async () => {
    const { db } = stores().store;
    const link = await addLink(db);
    const full = { ...link, claimant: null, isConfirmed: false };
    const asked = { status: "active" as const, email: "ann@example.com" };
    expect(await findChatLinkByCode(db, { codeHash, at: 99 })).toEqual({ ...full, ...asked });
    expect(await findChatLinkByCode(db, { codeHash, at: 100 })).toBeNull();
    expect(await findChatLinkOf(db, { ...link, at: 99 })).toEqual(full);
    expect(await findChatLinkOf(db, { ...link, at: 100 })).toBeNull();
    expect(await findChatLinkOf(db, { ...link, sessionId: "other", at: 99 })).toBeNull();
    const hash = new Uint8Array(32).fill(8);
    await insertChatLink(db, { ...link, id: crypto.randomUUID(), codeHash: hash }, 2);
    expect(await findChatLinkByCode(db, { codeHash, at: 99 })).toBeNull();
    expect(await findChatLinkByCode(db, { codeHash: hash, at: 99 })).not.toBeNull();
  });

  test("A claimed link is found by its account, and confirmed; the account gives up others", async () => {
    const { db } = stores().store;
    const [ann, bob] = [await addLink(db), await addLink(db, { email: "bob@x.com", hash: 8 })];
    const row = await insertRow(db, newRow());
    const claimant = {
      kind: "telegram",
      teamId: null,
      accountId: "5",
      rowId: row.id,
      accountName: "ada",
      teamName: null,
    };
    await claimChatLink(db, ann.id, claimant);
    expect(await findClaimedLink(db, { ...claimant, at: 99 })).toMatchObject({ claimant });
    expect(await findClaimedLink(db, { ...claimant, at: 100 })).toBeNull();
    for (const other of [{ teamId: "T1" }, { accountId: "6" }, { rowId: "x" }, { kind: "slack" }]) {
      expect(await findClaimedLink(db, { ...claimant, ...other, at: 99 })).toBeNull();
    }
    await claimChatLink(db, bob.id, claimant);
    expect(await findChatLinkOf(db, { ...ann, at: 99 })).toBeNull();
    await confirmChatLink(db, bob.id);
    expect(await findClaimedLink(db, { ...claimant, at: 99 })).toMatchObject({
      id: bob.id,
      isConfirmed: true,
      claimant,
    });
    await deleteChatLink(db, bob.id);
    expect(await findChatLinkOf(db, { ...bob, at: 99 })).toBeNull();
  });

  test("A link ends with the session that began it and with the channel that claimed it", async () => {
    const { db } = stores().store;
    const [ann, bob] = [await addLink(db), await addLink(db, { email: "bob@x.com", hash: 8 })];
    await deleteSession(db, ann.sessionId);
    expect(await findChatLinkOf(db, { ...ann, at: 99 })).toBeNull();
    const row = await insertRow(db, newRow());
    const identity = { kind: "slack", teamId: "T1", accountId: "U1", rowId: row.id };
    await claimChatLink(db, bob.id, { ...identity, accountName: null, teamName: null });
    await deleteRow(db, row.id);
    expect(await findChatLinkOf(db, { ...bob, at: 99 })).toBeNull();
  });

  test("Tries are counted until their window ends, and then anew", async () => {
    const { db } = stores().store;
    const count = (at: number) => countLinkTry(db, { key: "a", at, expiresAt: at + 10 });
    await count(1);
    await count(5);
    expect(await findLinkTries(db, { keys: ["a", "b"], at: 10 })).toEqual(new Map([["a", 2]]));
    expect(await findLinkTries(db, { keys: ["a"], at: 11 })).toEqual(new Map());
    await count(11);
    expect(await findLinkTries(db, { keys: ["a"], at: 20 })).toEqual(new Map([["a", 1]]));
  });

  test("The channel over which an account was linked is known until the channel or the account is deleted", async () => {
    const { db } = stores().store;
    const { id: userId } = await insertUser(db, newUser());
    const row = await insertRow(db, newRow());
    for (const identity of [
      { kind: "slack", teamId: "T1", accountId: "U1" },
      { kind: "telegram", teamId: null, accountId: "U1" },
    ]) {
      const id = crypto.randomUUID();
      const names = { accountName: null, teamName: null, createdAt: 1 };
      await insertChatAccount(db, { ...identity, ...names, id, userId, rowId: row.id });
      expect(await findLinkedRow(db, identity)).toBe(row.id);
      expect(await findLinkedRow(db, { ...identity, teamId: "T2" })).toBeNull();
      if (identity.kind === "slack") await deleteChatAccount(db, id);
      else await deleteRow(db, row.id);
      expect(await findLinkedRow(db, identity)).toBeNull();
    }
  });
}
