import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listChanges } from "../../store/changes-table.ts";
import type { Transaction } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/test-data.ts";
import { conflictOnce } from "../../store/testing/conflict-once.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { listIdentities } from "../../store/users/identities-table.ts";
import { findPassword, setPassword } from "../../store/users/passwords-table.ts";
import {
  findUserByEmail,
  insertUser,
  listUsers,
  updateUser,
} from "../../store/users/users-table.ts";
import { linkAccount } from "./link-account.ts";
import type { Person } from "./person.ts";

const issuer = "https://id.example";
const ada = { issuer, subject: "s1", email: "ada@example.com", isEmailVerified: true, name: "Ada" };
/** Any change that shows whether a session began. */
const chosen = { hash: "chosen", mustChange: false };
const visit = { ipAddress: "192.0.2.7" };

let dataDir: string;
let store: Store;
let time: number;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-link-"));
  store = await openTestStore({ dataDir });
  time = 1_000_000;
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

type LinkOptions = {
  person?: Partial<Person>;
  domains?: string[];
  beginSession?: Parameters<typeof linkAccount>[3];
};

function link({ person = {}, domains = [], beginSession = async () => {} }: LinkOptions = {}) {
  // Nothing is stored twice, although the transaction runs twice.
  const db = conflictOnce(store.db);
  const deps = { db, now: () => time, allowedDomains: domains };
  const all = { ...deps, newUsers: "pending", following: null } as const;
  return linkAccount(all, { ...ada, ...person }, visit, beginSession);
}

/** Makes these writes fail. */
const refuse = (write: string) =>
  runSql(
    store.db,
    `create trigger refuse before ${write} begin select raise(abort, 'disk full'); end`,
  );

const listAllChanges = () => listChanges(store.db, { limit: 10 });

describe("the first sign-in of an account", () => {
  test("The first sign-in creates a user and is recorded with its address", async () => {
    const user = await link();
    expect(user).toMatchObject({ email: ada.email, name: "Ada", role: "user", tags: [] });
    expect(await listAllChanges()).toEqual([
      {
        id: expect.any(String),
        changedAt: time,
        actorId: user.id,
        actor: ada.email,
        via: "session",
        tokenId: null,
        ipAddress: visit.ipAddress,
        action: "user.create",
        targetKind: "user",
        targetId: user.id,
        target: ada.email,
        detail: JSON.stringify({ issuer, status: "pending" }),
      },
    ]);
    const [identity] = await listIdentities(store.db, user.id);
    expect(identity).toMatchObject({ issuer, subject: "s1", createdAt: time, lastUsedAt: time });
  });

  test("A person without a name is named after the local part of the e-mail", async () => {
    expect((await link({ person: { name: null } })).name).toBe("ada");
  });

  test("The first sign-in links an existing user with the e-mail and is recorded as a link", async () => {
    const { id } = await insertUser(store.db, newUser({ email: ada.email }));
    expect(await link()).toMatchObject({ id, name: "Ann" });
    const [change, ...others] = await listAllChanges();
    expect(change).toMatchObject({ action: "user.link", targetId: id });
    expect(others).toEqual([]);
  });

  test("No user is created if the session cannot begin", async () => {
    const beginSession = () => Promise.reject(new Error("disk full"));
    await expect(link({ beginSession })).rejects.toThrow("disk full");
    expect(await listUsers(store.db)).toEqual([]);
    expect(await listAllChanges()).toEqual([]);
  });

  test.each([
    "users",
    "identities",
    "changes",
  ])("No user is created if the table %s cannot be written", async (table) => {
    await refuse(`insert on ${table}`);
    await expect(link()).rejects.toThrow("disk full");
    expect(await listUsers(store.db)).toEqual([]);
    expect(await listAllChanges()).toEqual([]);
  });

  test("A disabled user is not linked", async () => {
    const { id } = await insertUser(store.db, newUser({ email: ada.email, status: "disabled" }));
    await expect(link()).rejects.toMatchObject({ detail: { reason: "user_disabled" } });
    expect(await listIdentities(store.db, id)).toEqual([]);
    expect(await listAllChanges()).toEqual([]);
  });

  test("A user with another account of the same provider is not linked", async () => {
    const { id } = await link();
    const second = link({ person: { subject: "s2" } });
    await expect(second).rejects.toMatchObject({ detail: { reason: "linked_to_another_account" } });
    expect(await listIdentities(store.db, id)).toHaveLength(1);
    const elsewhere = await link({ person: { issuer: "https://other.example" } });
    expect(elsewhere.id).toBe(id);
  });

  test.each([
    ["there is none", { email: null }],
    ["the provider has not verified it", { isEmailVerified: false }],
  ])("A first sign-in is refused for its e-mail when %s", async (_, person) => {
    for (const domains of [[], ["example.com"]]) {
      const refused = link({ person, domains });
      await expect(refused).rejects.toMatchObject({ detail: { reason: "email_not_verified" } });
    }
    expect(await listUsers(store.db)).toEqual([]);
  });
});

describe("a later sign-in of an account", () => {
  test("A later sign-in finds the same user, even with another e-mail, and is recorded", async () => {
    const { id } = await link();
    time += 1000;
    expect(await link({ person: { email: "new@example.com" } })).toMatchObject({ id });
    const [identity] = await listIdentities(store.db, id);
    expect(identity).toMatchObject({ email: "new@example.com", lastUsedAt: time });
    expect(await findUserByEmail(store.db, "new@example.com")).toBeNull();
    expect(await listAllChanges()).toHaveLength(1);
  });

  test("A later sign-in that cannot be recorded begins no session", async () => {
    const { id } = await link();
    await refuse("update on identities");
    const beginSession = (trx: Transaction) => setPassword(trx, id, chosen, time);
    await expect(link({ beginSession })).rejects.toThrow("disk full");
    expect(await findPassword(store.db, id)).not.toEqual(chosen);
  });

  test("A sign-in without an e-mail keeps the known e-mail", async () => {
    const { id } = await link();
    await link({ person: { email: null } });
    expect(await listIdentities(store.db, id)).toMatchObject([{ email: ada.email }]);
  });

  test("A sign-in of a disabled user is refused", async () => {
    const { id } = await link();
    await updateUser(store.db, id, { status: "disabled" }, Date.now());
    await expect(link()).rejects.toMatchObject({ detail: { reason: "user_disabled" } });
  });

  test("A sign-in is refused when its domain is no longer allowed", async () => {
    await link({ domains: ["example.com"] });
    const refused = link({ domains: ["example.org"] });
    await expect(refused).rejects.toMatchObject({ detail: { reason: "domain_not_allowed" } });
  });
});

describe("a sign-in at the provider", () => {
  test("A sign-in at the provider removes an unused one-time password", async () => {
    const { id } = await insertUser(store.db, newUser({ email: ada.email }));
    await setPassword(store.db, id, { hash: "h", mustChange: true }, Date.now());
    await link();
    expect(await findPassword(store.db, id)).toMatchObject({ hash: null, mustChange: false });
  });

  test("A sign-in at the provider that cannot remove a one-time password fails", async () => {
    const { id } = await insertUser(store.db, newUser({ email: ada.email }));
    await setPassword(store.db, id, { hash: "h", mustChange: true }, Date.now());
    await refuse("update on users");
    await expect(link()).rejects.toThrow("disk full");
    expect(await listIdentities(store.db, id)).toEqual([]);
  });

  test("A sign-in at the provider keeps a password that the user chose", async () => {
    const { id } = await insertUser(store.db, newUser({ email: ada.email }));
    await setPassword(store.db, id, { hash: "h", mustChange: false }, Date.now());
    await link();
    expect(await findPassword(store.db, id)).toMatchObject({ hash: "h", mustChange: false });
  });
});
