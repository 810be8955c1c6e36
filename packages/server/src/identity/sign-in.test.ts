/** Protects: guessing is slow, and neither answers nor work reveal which accounts exist. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HubError } from "../errors.ts";
import { toClientNetworks } from "../lib/network/trusted-proxies.ts";
import { createKeyRing } from "../secrets/keys/key-ring.ts";
import { listChanges } from "../store/changes-table.ts";
import type { Db } from "../store/database/database.ts";
import type { UserStatus } from "../store/database/tables/user-tables.ts";
import type { Store } from "../store/store.ts";
import { newUser } from "../store/test-data.ts";
import { conflictOnce } from "../store/testing/conflict-once.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { findPassword, setPassword } from "../store/users/passwords-table.ts";
import { purgeSignInCounters } from "../store/users/sign-in-counters.ts";
import { insertUser, updateUser } from "../store/users/users-table.ts";
import { createSessions, idleMsMax, sessionMsMax } from "./browser-sessions.ts";
import type { HashQueueKey } from "./hash-queue.ts";
import { createKnownBrowsers, knownMsMax } from "./known-browsers.ts";
import { createSignIn } from "./sign-in.ts";
import { createSignInThrottle, liftSignInLimits } from "./sign-in-throttle.ts";
import { openSession } from "./testing/open-test-session.ts";

/** The limits of the documentation, not of the code, which could be wrong. */
const pairTries = 10;
const accountTries = 100;
const networkTries = 60;
const quarterHourMs = 15 * 60_000;

const password = "correct horse battery";
const visitor = { ipAddress: "198.51.100.9", userAgent: null };
const cleanups: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of cleanups.splice(0)) await close();
});

/** Accounts of every kind, and passwords whose checks are counted and cost nothing. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), "hub-test-"));
  const store = await openTestStore({ dataDir: folder });
  cleanups.push(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  let time = 1_800_000_000_000;
  const now = () => time;
  const checks: Array<string | null> = [];
  const compared: string[] = [];
  const requests: unknown[] = [];
  let meanwhile = async () => {};
  let isFull = false;
  const passwords = {
    checkCapacity() {
      if (isFull) throw new HubError("rate_limited", "Too many users are signing in right now.");
    },
    hash: async (plain: string) => `hash of ${plain}`,
    async verify(plain: string, stored: string | null, queueKey?: HashQueueKey) {
      checks.push(stored);
      compared.push(plain);
      requests.push(queueKey);
      await meanwhile();
      return stored === `hash of ${plain}`;
    },
  };
  const sessions = createSessions({ db: store.db, now });
  // Each attempt counts once, although the first transactions run twice.
  const throttle = createSignInThrottle({ db: conflictOnce(store.db, 30), now });
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const knownBrowsers = createKnownBrowsers({
    db: store.db,
    ring: { current: () => ring },
    now,
  });
  const signIn = createSignIn({
    db: conflictOnce(store.db, 15),
    now,
    passwords,
    sessions,
    throttle,
    knownBrowsers,
    secondFactor: "optional",
  });
  const add = (email: string, status: UserStatus = "active", hash: string | null = password) =>
    addUser(store, email, status, hash);
  return {
    db: store.db,
    sessions,
    checks,
    compared,
    requests,
    /** Runs this while a password is checked. */
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
    fill: (full: boolean) => {
      isFull = full;
    },
    now,
    knownBrowsers,
    async enter(
      email: string,
      plain = password,
      from = visitor,
      browserCookie: string | null = null,
    ): Promise<string | null> {
      const entered = await signIn.byPassword({ email, password: plain, browserCookie }, from);
      if (entered !== null && "next" in entered) throw new Error("A second factor is asked for");
      return entered?.token ?? null;
    },
  };
}

async function addUser(store: Store, email: string, status: UserStatus, plain: string | null) {
  const user = await insertUser(store.db, newUser({ email, status }));
  const hash = plain === null ? null : `hash of ${plain}`;
  await setPassword(store.db, user.id, { hash, mustChange: false }, Date.now());
  return user;
}

describe("an account that does not exist", () => {
  test("An unknown account gets the same answer, after the same work, as a wrong password", async () => {
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

  test("Attempts at an unknown account are refused after the same number, with the same text", async () => {
    const { add, enter } = await open();
    await add("ada@example.com");
    const words: string[] = [];
    for (const email of ["ada@example.com", "nobody@example.com"]) {
      for (let attempt = 0; attempt < pairTries; attempt += 1) {
        expect(await enter(email, "wrong")).toBeNull();
      }
      await enter(email, "wrong").catch((failure) => {
        expect(failure).toMatchObject({ code: "rate_limited", detail: { retry_after_s: 900 } });
        words.push(failure.message);
      });
    }
    expect(words).toEqual([
      "There were 10 wrong passwords for this account from your network. Try again in 15 minutes. Other networks, and browsers in which you signed in before, are not affected. An admin can end the wait.",
      words[0] ?? "",
    ]);
  });
});

/** The address of the n-th stranger. */
const from = (n: number) => ({ ...visitor, ipAddress: `203.0.${n >> 8}.${n & 255}` });

describe("an account", () => {
  test("After ten wrong passwords, a network cannot sign in to the account for 15 minutes", async () => {
    const { add, enter, advance, checks } = await open();
    await add("ada@example.com");
    for (let attempt = 0; attempt < pairTries; attempt += 1) await enter(" ADA@example.com", "no");
    const before = checks.length;
    await expect(enter("ada@example.com")).rejects.toThrow("wrong passwords for this account");
    expect(checks).toHaveLength(before);
    advance(quarterHourMs - 1);
    await expect(enter("ada@example.com")).rejects.toThrow("Try again in 1 second.");
    advance(1);
    expect(await enter("ada@example.com")).toBeString();
  });

  test("A refused network affects neither other networks nor other accounts", async () => {
    const { add, enter } = await open();
    await add("ada@example.com");
    await add("ben@example.com");
    for (let attempt = 0; attempt < pairTries; attempt += 1) await enter("ada@example.com", "no");
    expect(await enter("ada@example.com", password, from(1))).toBeString();
    expect(await enter("ben@example.com")).toBeString();
    await expect(enter("ada@example.com")).rejects.toThrow("from your network");
  });

  test("Concurrent attempts at an account are limited like attempts in a row", async () => {
    const { add, enter, checks } = await open();
    await add("ada@example.com");
    const attempts = Array.from({ length: 100 }, () => enter("ada@example.com", "wrong"));
    await Promise.allSettled(attempts);
    expect(checks).toHaveLength(pairTries);
  });

  test("Two processes together allow no more attempts than one", async () => {
    const { add, enter, db, now, checks } = await open();
    await add("ada@example.com");
    const other = createSignInThrottle({ db, now });
    const begun = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? enter("ada@example.com", "wrong").then(
            () => true,
            () => false,
          )
        : other
            .begin({ account: "ada@example.com", address: visitor.ipAddress })
            .then((answer) => !("limit" in answer)),
    );
    const made = (await Promise.all(begun)).filter(Boolean).length;
    expect(made).toBe(pairTries);
    expect(checks.length).toBeLessThanOrEqual(pairTries);
  });

  test("Attempts from many networks delay an account by at most 30 seconds and never lock it", async () => {
    const { add, enter, advance } = await open();
    await add("ada@example.com");
    for (let n = 0; n < accountTries + 3; n += 1) await enter("ada@example.com", "no", from(n));
    const waits: number[] = [];
    for (let n = 200; n < 208; n += 1) {
      const refused = await enter("ada@example.com", "no", from(n)).catch((failure) => failure);
      if (!(refused instanceof HubError)) throw new Error("The attempt was not delayed.");
      expect(refused.message).toStartWith(
        "There were many wrong passwords for this account from other places. Try again in ",
      );
      waits.push(Number(refused.detail.retry_after_s));
      advance(Number(refused.detail.retry_after_s) * 1000);
      expect(await enter("ada@example.com", "no", from(n))).toBeNull();
    }
    expect(waits).toEqual([8, 16, 30, 30, 30, 30, 30, 30]);
    advance(30_000);
    expect(await enter("ada@example.com", password, from(300))).toBeString();
    // Refused attempts do not count.
    advance(24 * 3_600_000);
    expect(await enter("ada@example.com", "no", from(301))).toBeNull();
    expect(await enter("ada@example.com", "no", from(302))).toBeNull();
  });

  test("An owner can sign in from a new network while strangers use every free slot (attack)", async () => {
    const { add, enter, advance } = await open();
    await add("ada@example.com");
    const at = (ipAddress: string) => ({ ...visitor, ipAddress });
    const tryAll = async (addresses: string[]) => {
      let tried = 0;
      for (const address of addresses) {
        const answer = await enter("ada@example.com", "no", at(address)).catch(() => "refused");
        if (answer === null) tried += 1;
      }
      return tried;
    };
    const listOf = (count: number, toAddress: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => toAddress(n));
    await tryAll(listOf(accountTries, (n) => `2001:db8:1:${n.toString(16)}::1`));
    // One subscriber line has 65,536 networks, but only three attempts without a wait.
    expect(await tryAll(listOf(6, (n) => `2001:db8:1:${(n + 500).toString(16)}::1`))).toBe(3);
    expect(await tryAll(listOf(6, (n) => `203.0.113.${n}`))).toBe(3);
    for (let round = 0; round < 2; round += 1) {
      advance(30_000);
      await tryAll(listOf(2, (n) => `2001:db8:1:${(n + 600 + round).toString(16)}::1`));
      const owner = at(`198.51.${round}.1`);
      expect(await enter("ada@example.com", "mistyped", owner)).toBeNull();
      expect(await enter("ada@example.com", password, owner)).toBeString();
    }
  });

  test("A clock that was wrong and is set back does not lock an account", async () => {
    const { add, enter, advance } = await open();
    await add("ada@example.com");
    advance(365 * 24 * 3_600_000);
    for (let n = 0; n < pairTries; n += 1) await enter("ada@example.com", "wrong");
    for (let n = pairTries; n < accountTries; n += 1) await enter("ada@example.com", "no", from(n));
    await expect(enter("ada@example.com")).rejects.toThrow("Try again");
    advance(-365 * 24 * 3_600_000);
    expect(await enter("ada@example.com")).toBeString();
    // A small excess increases the wait by at most the same time, and no attempt is forgotten.
    for (let n = 0; n < pairTries; n += 1) await enter("ada@example.com", "wrong");
    advance(-60_000);
    await expect(enter("ada@example.com")).rejects.toThrow("Try again in 16 minutes");
  });

  test("An admin's unlock applies to every network and browser at once", async () => {
    const { add, enter, db, knownBrowsers } = await open();
    const { id } = await add("ada@example.com");
    const cookie = await knownBrowsers.remember(null, id);
    for (let n = 0; n < accountTries; n += 1) await enter("ada@example.com", "no", from(n >> 3));
    for (let n = 0; n < 10; n += 1) await enter("ada@example.com", "no", visitor, cookie);
    await expect(enter("ada@example.com", password, visitor, cookie)).rejects.toThrow("browser");
    expect(await liftSignInLimits(db, "ada@example.com")).toBeGreaterThan(10);
    expect(await enter("ada@example.com", password, visitor, cookie)).toBeString();
    expect(await enter("ada@example.com", password, from(1))).toBeString();
  });

  test("An attempt that a full queue refuses does not count", async () => {
    const { add, enter, fill, db } = await open();
    await add("ada@example.com");
    fill(true);
    // It costs no write either.
    await runSql(
      db,
      `create trigger refuse before insert on sign_in_counters
      begin select raise(abort, 'a write'); end`,
    );
    for (let n = 0; n < 50; n += 1) {
      await expect(enter("ada@example.com")).rejects.toMatchObject({ code: "rate_limited" });
    }
    await runSql(db, "drop trigger refuse");
    expect(await runSql(db, "select * from sign_in_counters")).toEqual([]);
    fill(false);
    expect(await enter("ada@example.com")).toBeString();
  });

  test("No session begins if the surplus sessions of the user cannot be ended", async () => {
    const { add, enter, db, now, sessions } = await open();
    const { id } = await add("ada@example.com");
    for (let count = 0; count < 100; count += 1) await openSession({ db, now }, { userId: id });
    await runSql(
      db,
      `create trigger refuse before delete on sessions
      begin select raise(abort, 'disk full'); end`,
    );
    await expect(enter("ada@example.com")).rejects.toThrow("disk full");
    expect(await sessions.listOf(id)).toHaveLength(100);
  });

  test("No session begins if the success of the attempt cannot be stored", async () => {
    const { add, enter, db, sessions } = await open();
    const { id } = await add("ada@example.com");
    await enter("ada@example.com", "wrong");
    await runSql(
      db,
      `create trigger refuse before delete on sign_in_counters
      begin select raise(abort, 'disk full'); end`,
    );
    await expect(enter("ada@example.com")).rejects.toThrow("disk full");
    expect(await sessions.listOf(id)).toEqual([]);
  });

  test("A typed password is cut to the maximum length before the comparison", async () => {
    const { add, enter, compared } = await open();
    await add("ada@example.com");
    await enter("ada@example.com", "x".repeat(100_000));
    expect(compared.map(({ length }) => length)).toEqual([1025]);
  });

  test("Attempts queue by network and provider, and in a known browser by account", async () => {
    const { add, enter, requests, knownBrowsers } = await open();
    const { id } = await add("ada@example.com");
    const cookie = await knownBrowsers.remember(null, id);
    const address = { ...visitor, ipAddress: "2001:db8:1:2::5" };
    await enter("ada@example.com", password, address);
    await enter("ada@example.com", password, address, cookie);
    const { network, area } = toClientNetworks(address.ipAddress);
    expect(requests).toEqual([
      {
        owner: network,
        area,
        lane: "strangers",
      },
      { owner: "ada@example.com", lane: "known" },
    ]);
  });

  test("An attempt whose comparison fails does not count", async () => {
    const { add, enter, during, db } = await open();
    await add("ada@example.com");
    during(() => Promise.reject(new Error("No memory.")));
    await expect(enter("ada@example.com")).rejects.toThrow("No memory.");
    expect(await runSql(db, "select * from sign_in_counters")).toEqual([]);
  });
});

describe("a browser in which a user signed in before", () => {
  async function openKnown() {
    const opened = await open();
    const user = await opened.add("ada@example.com");
    const cookie = await opened.knownBrowsers.remember(null, user.id);
    const known = (plain = password) => opened.enter("ada@example.com", plain, visitor, cookie);
    return { ...opened, user, cookie, known };
  }

  test("A known browser can sign in while strangers guess from the same and other networks", async () => {
    const { enter, known } = await openKnown();
    for (let n = 0; n < pairTries; n += 1) await enter("ada@example.com", "no");
    for (let n = 0; n < accountTries - pairTries; n += 1) {
      await enter("ada@example.com", "no", from(n));
    }
    await expect(enter("ada@example.com")).rejects.toThrow("Try again");
    for (const n of [101, 102, 103]) await enter("ada@example.com", "no", from(n));
    await expect(enter("ada@example.com", password, from(104))).rejects.toThrow("Try again");
    expect(await known()).toBeString();
  });

  test("All browsers and sessions of one user share one part of the queue (attack)", async () => {
    const { enter, knownBrowsers, signIn, sessions, requests, user } = await openKnown();
    for (const _ of [1, 2]) {
      const browser = await knownBrowsers.remember(null, user.id);
      const token = (await enter("ada@example.com", password, visitor, browser)) ?? "";
      const signedIn = await sessions.find(token);
      if (signedIn === null) throw new Error("The user is not signed in.");
      const given = { current: "no", next: "", repeated: "" };
      await signIn.changePassword(signedIn, given, visitor);
    }
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(requests[0]).toMatchObject({ lane: "known" });
  });

  test("A known browser has ten attempts, which other browsers do not use up", async () => {
    const { enter, known, advance } = await openKnown();
    for (let n = 0; n < 10; n += 1) expect(await known("no")).toBeNull();
    await expect(known()).rejects.toThrow(
      "There were 10 wrong passwords for this account in this browser. Try again in 15 minutes.",
    );
    expect(await enter("ada@example.com")).toBeString();
    advance(quarterHourMs);
    expect(await known()).toBeString();
  });

  test("The cookie of a known browser gives no access without the password", async () => {
    const { known, sessions, cookie } = await openKnown();
    expect(await known("")).toBeNull();
    for (const mark of cookie.split(".")) expect(await sessions.find(mark)).toBeNull();
  });

  test("A browser is known only for its user, and not with an altered cookie", async () => {
    const { add, db, knownBrowsers, cookie, user } = await openKnown();
    const ben = await add("ben@example.com");
    const hashOf = async (id: string) => (await findPassword(db, id))?.hash ?? null;
    const find = async (mark: string | null, id: string) =>
      knownBrowsers.find(mark, { id, hash: await hashOf(id) });
    expect(await find(cookie, user.id)).toBeString();
    expect(await find(cookie, ben.id)).toBeNull();
    const altered = cookie.replace(/.(?=.{9}$)/, (one) => (one === "A" ? "B" : "A"));
    for (const forged of [null, "", "x", altered, cookie.slice(0, -2)]) {
      expect(await find(forged, user.id)).toBeNull();
    }
  });

  test("A browser is known for its last four users, each with a separate counter", async () => {
    const { add, knownBrowsers, cookie, user } = await openKnown();
    const hash = `hash of ${password}`;
    let marks: string = cookie;
    const ids = [user.id];
    for (let n = 0; n < 4; n += 1) {
      const { id } = await add(`user${n}@example.com`);
      ids.push(id);
      marks = await knownBrowsers.remember(marks, id);
    }
    expect(ids.map((id) => knownBrowsers.find(marks, { id, hash }) !== null)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  test("A user who signs in again does not displace other users of a known browser", async () => {
    const { add, knownBrowsers, cookie, user } = await openKnown();
    const hash = `hash of ${password}`;
    const { id: ben } = await add("ben@example.com");
    let marks = await knownBrowsers.remember(cookie, ben);
    for (let n = 0; n < 4; n += 1) marks = await knownBrowsers.remember(marks, ben);
    expect(marks.split(".")).toHaveLength(2);
    expect(knownBrowsers.find(marks, { id: user.id, hash })).toBeString();
  });

  test("A known browser keeps its counter, and is unknown after a new password or half a year", async () => {
    const { db, knownBrowsers, cookie, user, advance } = await openKnown();
    const hash = `hash of ${password}`;
    const id = knownBrowsers.find(cookie, { id: user.id, hash });
    const again = await knownBrowsers.remember(cookie, user.id);
    expect(knownBrowsers.find(again, { id: user.id, hash })).toBe(id);
    await setPassword(db, user.id, { hash: "hash of another", mustChange: false }, Date.now());
    expect(knownBrowsers.find(again, { id: user.id, hash: "hash of another" })).toBeNull();
    advance(knownMsMax);
    expect(knownBrowsers.find(again, { id: user.id, hash })).toBeNull();
  });
});

test("A network that tries many accounts is delayed; successful sign-ins do not count", async () => {
  const { add, enter, checks, advance } = await open();
  await add("ada@example.com");
  for (let attempt = 0; attempt < networkTries; attempt += 1) {
    await enter(`user${attempt}@example.com`, "wrong");
    if (attempt < 40) await enter("ada@example.com");
  }
  const before = checks.length;
  await expect(enter("another@example.com", "wrong")).rejects.toThrow(
    "There were many wrong passwords from your network. Try again in 1 second.",
  );
  expect(checks).toHaveLength(before);
  expect(await enter("ada@example.com", password, { ...visitor, ipAddress: "::1" })).toBeString();
  for (let attempt = 0; attempt < 10; attempt += 1) {
    advance(10_000);
    await enter(`later${attempt}@example.com`, "wrong");
  }
  advance(10_000);
  expect(await enter("ada@example.com")).toBeString();
});

test("The IPv6 addresses of one subscriber count as one network", async () => {
  const { enter } = await open();
  const at = (ipAddress: string) => ({ ...visitor, ipAddress });
  for (let n = 0; n < pairTries; n += 1) {
    await enter("ada@example.com", "wrong", at(`2001:db8:1:2::${n.toString(16)}`));
  }
  const neighbour = at("2001:db8:1:2:ffff::1");
  await expect(enter("ada@example.com", "wrong", neighbour)).rejects.toThrow("your network");
  expect(await enter("ada@example.com", "wrong", at("2001:db8:1:3::1"))).toBeNull();
});

describe("what strangers type", () => {
  test("Counters cannot fill the disk: above the limit, those with the fewest failures are deleted", async () => {
    const { enter, db } = await open();
    for (let n = 0; n < pairTries; n += 1) await enter("first@example.com", "wrong");
    await runSql(
      db,
      `with recursive counters(n) as (select 1 union all select n + 1 from counters where n < 20000)
      insert into sign_in_counters (key, account, failures, first_at, last_at, expires_at)
      select 'account:' || n, n, 1, 0, 0, 9000000000000 from counters`,
    );
    await enter("another@example.com", "wrong", from(1));
    const [counted] = await runSql(db, "select count(*) as kept from sign_in_counters");
    expect(Number(counted?.kept)).toBeLessThanOrEqual(20_000);
    await expect(enter("first@example.com", "wrong")).rejects.toThrow("your network");
  });

  test("The typed e-mail is not stored, because it may be a password", async () => {
    const { enter, db } = await open();
    await enter("my secret pass phrase", "wrong");
    const stored = await runSql(db, "select * from sign_in_counters");
    expect(stored).toHaveLength(3);
    expect(JSON.stringify(stored)).not.toMatch(/my secret|198\.51/);
  });

  test("Expired counters are deleted", async () => {
    const { enter, db, now, advance } = await open();
    await enter("ada@example.com", "wrong");
    const count = async () => {
      await purgeSignInCounters(db, now());
      return (await runSql(db, "select * from sign_in_counters")).length;
    };
    expect(await count()).toBe(3);
    advance(quarterHourMs);
    expect(await count()).toBe(1);
    advance(24 * 3_600_000);
    expect(await count()).toBe(0);
  });
});

describe("changes while a password is checked", () => {
  const next = "another long pass phrase";

  test.each<[string, (db: Db, id: string) => Promise<unknown>]>([
    [
      "a new password",
      (db, id) => setPassword(db, id, { hash: "hash of it", mustChange: true }, Date.now()),
    ],
    ["the user disabled", (db, id) => updateUser(db, id, { status: "disabled" }, Date.now())],
  ])("%s: the old password gives no access", async (_, change) => {
    const { add, enter, db, during, sessions } = await open();
    const { id } = await add("ada@example.com");
    during(() => change(db, id));
    expect(await enter("ada@example.com")).toBeNull();
    expect(await sessions.listOf(id)).toEqual([]);
  });

  test("The old password cannot replace a password that changed meanwhile", async () => {
    const { add, enter, db, during, sessions, signIn } = await open();
    const { id } = await add("ada@example.com");
    const session = await sessions.find((await enter("ada@example.com")) ?? "");
    if (session === null) throw new Error("The session is gone.");
    during(() => setPassword(db, id, { hash: "hash of it", mustChange: true }, Date.now()));
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

  test("A session ends after a week without use, and continues if it is used", async () => {
    const { sessions, token, advance } = await signedIn();
    advance(idleMsMax - 1);
    expect(await sessions.find(token)).not.toBeNull();
    advance(idleMsMax - 1);
    expect(await sessions.find(token)).not.toBeNull();
    advance(idleMsMax);
    expect(await sessions.find(token)).toBeNull();
  });

  test("A session is recorded as seen at most once a minute, so that most pages cost no write", async () => {
    const { db, sessions, token, advance, now } = await signedIn();
    const findSeenAt = async () =>
      (await runSql<{ last_seen_at: number }>(db, "select last_seen_at from sessions"))[0]
        ?.last_seen_at;
    const begun = now();
    advance(59_999);
    await sessions.find(token);
    expect(await findSeenAt()).toBe(begun);
    advance(1);
    await sessions.find(token);
    expect(await findSeenAt()).toBe(begun + 60_000);
  });

  test("A cookie of another form causes no query", async () => {
    const { db, sessions, token } = await signedIn();
    await runSql(db, "drop table sessions");
    for (const cookie of ["", "x", token.slice(1), `${token}x`, token.replace(/.$/, "=")]) {
      expect(await sessions.find(cookie)).toBeNull();
    }
    await expect(sessions.find(token)).rejects.toThrow("no such table");
  });

  test("A session ends after thirty days, even if it is used", async () => {
    const { sessions, token, advance } = await signedIn();
    for (let day = 0; day < 29; day += 1) {
      advance(86_400_000);
      expect(await sessions.find(token)).not.toBeNull();
    }
    advance(sessionMsMax - 29 * 86_400_000);
    expect(await sessions.find(token)).toBeNull();
  });

  test("A user has at most a hundred sessions, so that no user fills the table (attack)", async () => {
    const { db, now, sessions, token, user, add, advance } = await signedIn();
    const other = await add("other@example.com");
    const others = await openSession({ db, now }, { userId: other.id });
    let last = token;
    for (let n = 0; n < 100; n += 1) {
      advance(1000);
      last = (await openSession({ db, now }, { userId: user.id })).token;
    }
    expect(await sessions.find(token)).toBeNull();
    expect(await sessions.listOf(user.id)).toHaveLength(100);
    expect(await sessions.find(last)).not.toBeNull();
    expect(await sessions.find(others.token)).not.toBeNull();
    expect(await runSql(db, "select * from sessions")).toHaveLength(101);
  });

  test("The database contains neither session tokens nor passwords in plain text", async () => {
    const { db, token, user } = await signedIn();
    const stored = JSON.stringify([
      await runSql(db, "select * from sessions"),
      await findPassword(db, user.id),
    ]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(Buffer.from(token, "base64url").toString("hex"));
  });

  test("A session ends for a disabled user, and is pending for a pending user", async () => {
    const { db, sessions, token, user } = await signedIn();
    await updateUser(db, user.id, { status: "pending" }, Date.now());
    expect((await sessions.find(token))?.user.status).toBe("pending");
    await updateUser(db, user.id, { status: "disabled" }, Date.now());
    expect(await sessions.find(token)).toBeNull();
  });

  test("A password change begins a new session and ends all earlier ones", async () => {
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
    expect(after?.mustChangePassword).toBeFalse();
    expect(await enter("ada@example.com")).toBeNull();
    expect(await enter("ada@example.com", next)).toBeString();
  });

  test("A password change needs the current password; after ten wrong ones it is refused", async () => {
    const { sessions, signIn, token, enter, advance } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    const next = "another long pass phrase";
    const change = (current: string) =>
      signIn.changePassword(session, { current, next, repeated: next }, visitor);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await change("wrong")).toHaveProperty("field", "current");
    }
    await expect(change(password)).rejects.toThrow(
      "There were 10 wrong passwords in this session. Try again in 15 minutes.",
    );
    // Other sign-ins are not affected.
    expect(await enter("ada@example.com")).toBeString();
    advance(quarterHourMs);
    expect(await change(password)).toHaveProperty("token");
  });

  test("A right current password clears the wrong ones of its session", async () => {
    const { sessions, signIn, token } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    const change = (current: string) =>
      signIn.changePassword(session, { current, next: "short", repeated: "short" }, visitor);
    for (let round = 0; round < 2; round += 1) {
      for (let attempt = 0; attempt < 9; attempt += 1) {
        expect(await change("wrong")).toHaveProperty("field", "current");
      }
      expect(await change(password)).toHaveProperty("field", "next");
    }
  });

  test("A session says whether its user has a password, and must change it", async () => {
    const { db, add, sessions, now } = await open();
    const { id } = await add("cleo@example.com", "active", null);
    const { token } = await openSession({ db, now }, { userId: id });
    const read = async () => {
      const { hasPassword, mustChangePassword } = (await sessions.find(token)) ?? {};
      return { hasPassword, mustChangePassword };
    };
    expect(await read()).toEqual({ hasPassword: false, mustChangePassword: false });
    await setPassword(db, id, { hash: "hash", mustChange: true }, now());
    expect(await read()).toEqual({ hasPassword: true, mustChangePassword: true });
  });

  test("A password change is recorded with its user and address", async () => {
    const { db, sessions, signIn, token } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    const next = "another long pass phrase";
    const given = { current: password, next, repeated: next };
    await signIn.changePassword(session, { ...given, repeated: "typo" }, visitor);
    expect(await listChanges(db, { limit: 9 })).toEqual([]);
    await signIn.changePassword(session, given, visitor);
    const { id, email } = session.user;
    expect(await listChanges(db, { limit: 9 })).toEqual([
      {
        id: expect.any(String),
        changedAt: expect.any(Number),
        action: "user.change_password",
        actorId: id,
        actor: email,
        via: "session",
        tokenId: null,
        ipAddress: visitor.ipAddress,
        detail: "{}",
        targetKind: "user",
        targetId: id,
        target: email,
      },
    ]);
  });

  test.each([
    ["the new password", "update on users"],
    ["the end of the sessions", "delete on sessions"],
    ["the record", "insert on changes"],
    ["the new session", "insert on sessions"],
  ])("A password change changes nothing if %s cannot be stored", async (_, write) => {
    const { db, sessions, signIn, token, enter } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    await runSql(
      db,
      `create trigger refuse before ${write} begin select raise(abort, 'disk full'); end`,
    );
    const next = "another long pass phrase";
    const given = { current: password, next, repeated: next };
    await expect(signIn.changePassword(session, given, visitor)).rejects.toThrow("disk full");
    await runSql(db, "drop trigger refuse");
    expect(await sessions.find(token)).not.toBeNull();
    expect(await listChanges(db, { limit: 9 })).toEqual([]);
    expect(await enter("ada@example.com", next)).toBeNull();
    expect(await enter("ada@example.com")).toBeString();
  });

  test("The current password is cut to the maximum length before the comparison", async () => {
    const { sessions, signIn, token, compared } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    const next = "another long pass phrase";
    await signIn.changePassword(
      session,
      { current: "x".repeat(100_000), next, repeated: next },
      visitor,
    );
    expect(compared.at(-1)).toHaveLength(1025);
  });

  test("A signed-in user can change the password while strangers guess", async () => {
    const { sessions, signIn, token, enter } = await signedIn();
    const session = await sessions.find(token);
    if (session === null) throw new Error("The session is gone.");
    for (let n = 0; n < pairTries; n += 1) await enter("ada@example.com", "no");
    for (let n = 0; n < accountTries; n += 1) {
      await enter("ada@example.com", "no", from(n)).catch(() => {});
    }
    const next = "another long pass phrase";
    const given = { current: password, next, repeated: next };
    expect(await signIn.changePassword(session, given, visitor)).toHaveProperty("token");
  });
});
