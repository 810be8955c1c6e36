/** Protects: where a second factor is demanded, no session that began with the password alone goes on without one. */
import { expect, onTestFinished, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { transaction } from "../../store/database/database.ts";
import { newUser } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { setPassword } from "../../store/users/passwords-table.ts";
import { insertTotpFactor } from "../../store/users/second-factors-table.ts";
import { insertUser, updateUser } from "../../store/users/users-table.ts";
import { createSessions } from "../browser-sessions.ts";
import { demandFactors } from "./demand-factors.ts";

type Demand = Config["secondFactor"];

async function open() {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-demand-"));
  const store = await openTestStore({ dataDir });
  onTestFinished(async () => {
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  const { db } = store;
  const all = createSessions({ db, now: Date.now });
  const { id } = await insertUser(db, newUser());
  await setPassword(db, id, { hash: "h", mustChange: false }, 1);
  const doors = { authenticate: async () => null, authenticatePersonalToken: async () => null };
  const signIn = async (providerSid: string | null = null) => {
    const session = all.prepare({ ipAddress: null, userAgent: null }, providerSid);
    await transaction(db, (trx) => session.begin(trx, id));
    return session.token;
  };
  const isOpen = async (token: string, secondFactor: Demand) => {
    const { sessions } = demandFactors(
      { ...doors, sessions: all },
      { db, config: { secondFactor } },
    );
    return (await sessions.find(token)) !== null;
  };
  return { db, id, signIn, isOpen };
}

test("A user who becomes an admin without a factor is signed out, where admins need one", async () => {
  const { db, id, signIn, isOpen } = await open();
  const token = await signIn();
  expect(await isOpen(token, "admins")).toBe(true);
  expect(await isOpen(token, "required")).toBe(false);
  await updateUser(db, id, { role: "admin" }, 1);
  expect(await isOpen(token, "admins")).toBe(false);
  expect(await isOpen(token, "optional")).toBe(true);
});

test("Sessions of users with a factor, and of single sign-on, go on", async () => {
  const { db, id, signIn, isOpen } = await open();
  await updateUser(db, id, { role: "admin" }, 1);
  const [here, there] = [await signIn(), await signIn("")];
  expect([await isOpen(here, "admins"), await isOpen(there, "admins")]).toEqual([false, true]);
  const factor = { id: crypto.randomUUID(), userId: id, kind: "totp", name: "App" } as const;
  const times = { createdAt: 1, lastUsedAt: null, lastStep: 1 };
  await insertTotpFactor(db, { ...factor, ...times, sealed: new Uint8Array(1) });
  expect(await isOpen(here, "admins")).toBe(true);
});
