/** Protects: guessing is slow, and neither answers nor work tell whose account is there. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../store/open-store.ts";
import { findPassword, setPassword } from "../store/passwords.ts";
import type { Db, UserStatus } from "../store/tables.ts";
import { insertUser, updateUser } from "../store/users.ts";
import { createSessions, idleMsMax, sessionMsMax } from "./sessions.ts";
import { createSignIn } from "./sign-in.ts";
import { accountLimits, addressLimits, createSignInThrottle } from "./sign-in-throttle.ts";

const password = "correct horse battery";
const visitor = { ipAddress: "198.51.100.9", userAgent: null };
const closers: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Accounts of every kind, and passwords whose checks are counted and cost nothing. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), "hub-test-"));
  const store = await openStore({ dataDir: folder });
  closers.push(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  let time = 1_800_000_000_000;
  const now = () => time;
  const checks: Array<string | null> = [];
  let meanwhile = async () => {};
  const passwords = {
    hash: async (plain: string) => `hash of ${plain}`,
    async verify(plain: string, stored: string | null) {
      checks.push(stored);
      await meanwhile();
      return stored === `hash of ${plain}`;
    },
  };
  const sessions = createSessions({ db: store.db, now });
  const throttle = createSignInThrottle({ now });
  const signIn = createSignIn({ db: store.db, passwords, sessions, throttle });
  const add = (email: string, status: UserStatus = "active", hash: string | null = password) =>
    addUser(store, email, status, hash);
  return {
    db: store.db,
    sessions,
    checks,
    /** Does this while a password is checked. */
    during: (change: () => Promise<unknown>) => {
      meanwhile = async () => {
        meanwhile = async () => {};
        await change();
      };
    },
    add,
    signIn,
    advance: (ms: number) => {
      time += ms;
    },
    enter: (email: string, plain = password, from = visitor) =>
      signIn.byPassword({ email, password: plain }, from),
  };
}

async function addUser(store: Store, email: string, status: UserStatus, plain: string | null) {
  const user = await insertUser(store.db, { email, name: "A", role: "user", status, tags: [] });
  const hash = plain === null ? null : `hash of ${plain}`;
  await setPassword(store.db, user.id, { hash, mustChange: false });
  return user;
}

describe("whoever has no account to guess at", () => {
  test("gets the same answer after the same work as one with a wrong password", async () => {
    const { add, enter, checks } = await open();
    await add("ada@example.com");
    await add("ben@example.com", "disabled");
    await add("cleo@example.com", "active", null);
    const answers = [
      await enter("ada@example.com", "wrong"),
      await enter("nobody@example.com", "wrong"),
      await enter("ben@example.com", "wrong"),
      await enter("ben@example.com", password),
      await enter("cleo@example.com", "wrong"),
      await enter("", "wrong"),
    ];
    expect(answers).toEqual([null, null, null, null, null, null]);
    expect(checks).toHaveLength(answers.length);
  });

  test("is stopped after as many attempts, with the same words", async () => {
    const { add, enter } = await open();
    await add("ada@example.com");
    const words: string[] = [];
    for (const email of ["ada@example.com", "nobody@example.com"]) {
      for (let attempt = 0; attempt < accountLimits.failuresMax; attempt += 1) {
        expect(await enter(email, "wrong")).toBeNull();
      }
      await enter(email, "wrong").catch((failure: Error) => words.push(failure.message));
    }
    expect(words).toEqual([expect.stringContaining("too many attempts"), words[0] ?? ""]);
  });
});

describe("an account", () => {
  test("is not opened by the right password while it waits, and is again after that", async () => {
    const { add, enter, advance, checks } = await open();
    await add("ada@example.com");
    for (let attempt = 0; attempt < accountLimits.failuresMax; attempt += 1) {
      await enter(" ADA@example.com", "wrong", { ...visitor, ipAddress: `203.0.113.${attempt}` });
    }
    const before = checks.length;
    await expect(enter("ada@example.com")).rejects.toThrow("too many attempts");
    expect(checks).toHaveLength(before);
    advance(accountLimits.windowMs);
    expect(await enter("ada@example.com")).toBeString();
  });

  test("is tried no oftener by many attempts at once than by as many in a row", async () => {
    const { add, enter, checks } = await open();
    await add("ada@example.com");
    const attempts = Array.from({ length: 100 }, () => enter("ada@example.com", "wrong"));
    await Promise.allSettled(attempts);
    expect(checks).toHaveLength(accountLimits.failuresMax);
  });
});

test("an address tries so many accounts and no more, and its owner's sign-ins do not count", async () => {
  const { add, enter, checks } = await open();
  await add("ada@example.com");
  for (let attempt = 0; attempt < addressLimits.failuresMax; attempt += 1) {
    await enter(`user${attempt}@example.com`, "wrong");
    if (attempt < 40) await enter("ada@example.com");
  }
  const before = checks.length;
  await expect(enter("another@example.com", "wrong")).rejects.toThrow("too many attempts");
  expect(checks).toHaveLength(before);
  expect(await enter("ada@example.com", password, { ...visitor, ipAddress: "::1" })).toBeString();
});

test("the addresses of one line of version 6 count as one", async () => {
  const { enter } = await open();
  for (let attempt = 0; attempt < addressLimits.failuresMax; attempt += 1) {
    await enter(`user${attempt}@example.com`, "wrong", {
      ...visitor,
      ipAddress: `2001:db8:1:2::${attempt.toString(16)}`,
    });
  }
  const neighbour = { ...visitor, ipAddress: "2001:db8:1:2:ffff::1" };
  await expect(enter("another@example.com", "wrong", neighbour)).rejects.toThrow("too many");
  const elsewhere = { ...visitor, ipAddress: "2001:db8:1:3::1" };
  expect(await enter("another@example.com", "wrong", elsewhere)).toBeNull();
});

test("ever new names do not fill the memory: the oldest are forgotten", () => {
  const throttle = createSignInThrottle({ now: () => 0 });
  for (let attempt = 0; attempt < accountLimits.failuresMax; attempt += 1) {
    throttle.begin("first@example.com", `a${attempt}`);
  }
  expect(throttle.begin("first@example.com", "b")).toHaveProperty("waitMs");
  for (let name = 0; name < 10_000; name += 1) throttle.begin(`${name}@example.com`, `c${name}`);
  expect(throttle.begin("first@example.com", "b")).toHaveProperty("succeed");
});

describe("what happens while a password is checked counts", () => {
  const next = "another long pass phrase";

  test.each<[string, (db: Db, id: string) => Promise<unknown>]>([
    ["a new password", (db, id) => setPassword(db, id, { hash: "hash of it", mustChange: true })],
    ["the user disabled", (db, id) => updateUser(db, id, { status: "disabled" })],
  ])("%s: nobody comes in by the old one", async (_, change) => {
    const { add, enter, db, during, sessions } = await open();
    const { id } = await add("ada@example.com");
    during(() => change(db, id));
    expect(await enter("ada@example.com")).toBeNull();
    expect(await sessions.listOf(id)).toEqual([]);
  });

  test("a new password is not replaced by who knew the old one", async () => {
    const { add, enter, db, during, sessions, signIn } = await open();
    const { id } = await add("ada@example.com");
    const session = await sessions.find((await enter("ada@example.com")) ?? "");
    if (session === null) throw new Error("The session is gone.");
    during(() => setPassword(db, id, { hash: "hash of it", mustChange: true }));
    const given = { current: password, next, repeated: next };
    expect(await signIn.changePassword(session, given, visitor)).toHaveProperty("field", "current");
    expect((await findPassword(db, id))?.hash).toBe("hash of it");
  });
});

describe("a session", () => {
  async function signedIn() {
    const opened = await open();
    const user = await opened.add("ada@example.com");
    const token = (await opened.enter("ada@example.com")) ?? "";
    return { ...opened, user, token };
  }

  test("ends when nobody used it for a week, and lives on for whoever comes back", async () => {
    const { sessions, token, advance } = await signedIn();
    advance(idleMsMax - 1);
    expect(await sessions.find(token)).not.toBeNull();
    advance(idleMsMax - 1);
    expect(await sessions.find(token)).not.toBeNull();
    advance(idleMsMax);
    expect(await sessions.find(token)).toBeNull();
  });

  test("ends after thirty days, however much it is used", async () => {
    const { sessions, token, advance } = await signedIn();
    for (let day = 0; day < 29; day += 1) {
      advance(86_400_000);
      expect(await sessions.find(token)).not.toBeNull();
    }
    advance(sessionMsMax - 29 * 86_400_000);
    expect(await sessions.find(token)).toBeNull();
  });

  test("is nowhere in the database in clear, nor is the password", async () => {
    const { db, token, user } = await signedIn();
    const stored = JSON.stringify([
      await db.selectFrom("sessions").selectAll().execute(),
      await findPassword(db, user.id),
    ]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(Buffer.from(token, "base64url").toString("hex"));
  });

  test("ends for a disabled user, and is pending while its user is", async () => {
    const { db, sessions, token, user } = await signedIn();
    await updateUser(db, user.id, { status: "pending" });
    expect((await sessions.find(token))?.user.status).toBe("pending");
    await updateUser(db, user.id, { status: "disabled" });
    expect(await sessions.find(token)).toBeNull();
  });

  test("is another one after a change of password, and all earlier ones are over", async () => {
    const { sessions, signIn, token, enter } = await signedIn();
    const elsewhere = (await enter("ada@example.com")) ?? "";
    const before = await sessions.find(token);
    if (before === null) throw new Error("The session is gone.");
    const next = "another long pass phrase";
    const given = { current: password, next, repeated: next };
    const changed = await signIn.changePassword(before, given, visitor);
    if (!("token" in changed)) throw new Error(changed.fault);
    expect([token, elsewhere]).not.toContain(changed.token);
    expect(await sessions.find(token)).toBeNull();
    expect(await sessions.find(elsewhere)).toBeNull();
    const after = await sessions.find(changed.token);
    expect(after?.csrfToken).toBeString();
    expect(after?.csrfToken).not.toBe(before.csrfToken);
  });

  test("changes no password for who cannot tell the current one, and lets them guess as seldom", async () => {
    const { sessions, signIn, token } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    const next = "another long pass phrase";
    const guess = () =>
      signIn.changePassword(session, { current: "wrong", next, repeated: next }, visitor);
    for (let attempt = 0; attempt < accountLimits.failuresMax; attempt += 1) {
      expect(await guess()).toHaveProperty("field", "current");
    }
    await expect(guess()).rejects.toThrow("too many attempts");
  });
});
