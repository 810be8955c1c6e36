import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { transaction } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/test-data.ts";
import { conflictOnce } from "../../store/testing/conflict-once.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import {
  type GroupLine,
  listGroupLines,
  replaceGroupLines,
} from "../../store/users/group-lines-table.ts";
import { listIdentities } from "../../store/users/identities-table.ts";
import { insertPreparedUser } from "../../store/users/prepared-users-table.ts";
import {
  findProviderSession,
  updateProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { listGroupReads } from "../../store/users/user-groups-table.ts";
import { findUserOrigins } from "../../store/users/user-origins.ts";
import { insertUser, listUsers, updateUser } from "../../store/users/users-table.ts";
import type { ReadGroups } from "../groups/read-group-claim.ts";
import { followSignIns } from "./follow-sign-in.ts";
import { linkAccount } from "./link-account.ts";

const issuer = "https://id.example";
const ring = createKeyRing([new Uint8Array(32).fill(1)]);

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-follow-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

async function setLines(...given: Array<Partial<GroupLine> & { pattern: string }>): Promise<void> {
  const { revision } = await listGroupLines(store.db);
  const lines = given.map((line) => ({
    id: crypto.randomUUID(),
    source: "any" as const,
    isPattern: false,
    tags: [],
    tagStart: null,
    role: "user" as const,
    adminByScim: false,
    ...line,
  }));
  await transaction(store.db, (trx) => replaceGroupLines(trx, lines, revision));
}

type SignIn = {
  groups: string[] | ReadGroups | null;
  required?: string;
  issuer?: string;
  /** Null if the provider gives none. */
  refreshToken?: string | null;
};

function signIn({ groups, required, refreshToken = "refresh", ...named }: SignIn) {
  const deps = {
    // Nothing is stored twice, although the transaction runs twice.
    db: conflictOnce(store.db),
    now: () => 1_000_000,
    allowedDomains: [],
    newUsers: "active" as const,
    following: followSignIns({
      ring: { current: () => ring },
      requiredGroup: required ?? null,
      forget: () => {},
    }),
  };
  const person = {
    issuer,
    subject: "s1",
    email: "ada@example.com",
    isEmailVerified: true,
    name: "Ada",
    ...named,
  };
  const read = Array.isArray(groups) ? { names: groups, leftOut: 0 } : groups;
  const session = { sid: "sid-1", provedAt: null };
  const there = {
    ...session,
    groups: read,
    readRefreshToken: refreshToken === null ? null : () => refreshToken,
  };
  return linkAccount(deps, person, { ipAddress: null }, async () => {}, there);
}

describe("a sign-in with groups", () => {
  test("A first sign-in gives what the groups give, and keeps the session there", async () => {
    await setLines({ pattern: "eng", tags: ["code"] });
    const { id } = await signIn({ groups: ["eng"] });
    expect(await listUsers(store.db)).toMatchObject([{ tags: ["code"], status: "active" }]);
    expect(await findProviderSession(store.db, id)).toMatchObject({
      subject: "s1",
      sid: "sid-1",
      endedAt: null,
    });
    await signIn({ groups: [] });
    expect(await listUsers(store.db)).toMatchObject([{ tags: [] }]);
  });

  test("A sign-in that brings no refresh token keeps the one before, unless that session has ended", async () => {
    const { id } = await signIn({ groups: [] });
    const first = await findProviderSession(store.db, id);
    await signIn({ groups: [], refreshToken: null });
    const { sealed, tokensId } = (await findProviderSession(store.db, id)) ?? {};
    expect(sealed).not.toBeNull();
    expect({ sealed, tokensId }).toEqual({ sealed: first?.sealed, tokensId: first?.tokensId });
    const ended = { endedAt: 1, failure: "logged out", refusesTokens: true };
    await updateProviderSession(store.db, { userId: id, tokensId: tokensId ?? "" }, ended);
    await signIn({ groups: [], refreshToken: null });
    const after = await findProviderSession(store.db, id);
    expect(after).toMatchObject({ sealed: null, endedAt: null, refusesTokens: false });
    expect(after?.tokensId).not.toBe(tokensId);
  });

  test.each<[string, SignIn, string]>([
    ["lacks the required group", { groups: ["eng"], required: "staff" }, "required_group_missing"],
    [
      "has too many groups to tell of the required one",
      { groups: { names: null, problem: "overage" }, required: "staff" },
      "required_group_missing",
    ],
    ["is in a group that is refused", { groups: ["eng", "out"] }, "refused_by_group"],
  ])("A person who %s becomes no user", async (_, given, reason) => {
    await setLines({ pattern: "out", role: "none" });
    await expect(signIn(given)).rejects.toMatchObject({ code: "forbidden", detail: { reason } });
    expect(await listUsers(store.db)).toEqual([]);
  });

  test("A known user who lost the required group is disabled, and comes back with it", async () => {
    const required = "staff";
    const { id } = await signIn({ groups: ["staff"], required });
    const refused = signIn({ groups: [], required });
    await expect(refused).rejects.toMatchObject({ detail: { reason: "required_group_missing" } });
    expect(await listUsers(store.db)).toMatchObject([{ id, status: "disabled" }]);
    expect(await signIn({ groups: ["staff"], required })).toMatchObject({ id, status: "active" });
    await updateUser(store.db, id, { status: "disabled" }, 1);
    const byHand = signIn({ groups: ["staff"], required });
    await expect(byHand).rejects.toMatchObject({ detail: { reason: "user_disabled" } });
  });

  test.each([
    "missing",
    "overage",
    "failed",
  ] as const)("A known user whose groups are not known (%s) is refused where one is required, and stays the same", async (problem) => {
    await setLines({ pattern: "staff", tags: ["code"] });
    const { id } = await signIn({ groups: null });
    const unread = { names: null, problem };
    const detail = { reason: "required_group_missing" };
    for (const groups of [null, ["staff"]]) {
      if (groups !== null) await signIn({ groups });
      const before = [await listUsers(store.db), await findProviderSession(store.db, id)];
      const refused = signIn({ groups: unread, required: "staff" });
      await expect(refused).rejects.toMatchObject({ code: "forbidden", detail });
      expect([await listUsers(store.db), await findProviderSession(store.db, id)]).toEqual(before);
      expect(await listGroupReads(store.db, id)).toHaveLength(groups === null ? 0 : 1);
    }
  });

  test("An overage at a later sign-in changes nothing, and is kept for the user's page", async () => {
    await setLines({ pattern: "eng", tags: ["code"] });
    const { id } = await signIn({ groups: ["eng"] });
    await signIn({ groups: { names: null, problem: "overage" } });
    expect(await listUsers(store.db)).toMatchObject([{ tags: ["code"] }]);
    expect(await listGroupReads(store.db, id)).toMatchObject([{ problem: "overage" }]);
  });
});

describe("a prepared user", () => {
  async function prepare() {
    const given = { email: "ada@example.com", tags: ["early"], origin: "prepared" as const };
    const user = await insertUser(store.db, newUser(given));
    await transaction(store.db, (trx) =>
      insertPreparedUser(trx, { userId: user.id, issuer, at: 1 }),
    );
    return user;
  }

  test("The first sign-in with the verified e-mail links the user, once", async () => {
    const { id } = await prepare();
    expect(await findUserOrigins(store.db, id)).toMatchObject({ origin: "prepared" });
    expect(await signIn({ groups: null })).toMatchObject({ id, tags: ["early"] });
    expect(await findUserOrigins(store.db, id)).toMatchObject({ origin: "sso" });
    const [identity] = await listIdentities(store.db, id);
    expect(identity).toMatchObject({ issuer, subject: "s1" });
  });

  test("Another provider does not link the user, and the preparation stays", async () => {
    const { id } = await prepare();
    const elsewhere = signIn({ groups: null, issuer: "https://evil.example" });
    await expect(elsewhere).rejects.toMatchObject({
      detail: { reason: "prepared_for_another_issuer" },
    });
    expect(await listIdentities(store.db, id)).toEqual([]);
    expect(await signIn({ groups: null })).toMatchObject({ id });
  });
});
