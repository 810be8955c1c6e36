import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { amount } from "../../lib/testing/amount.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toProviderLocation } from "../../secrets/at-rest/secret-locations.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { transaction } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { listGroupLines, replaceGroupLines } from "../../store/users/group-lines-table.ts";
import { setPassword } from "../../store/users/passwords-table.ts";
import {
  findProviderSession,
  putProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { findUserById, insertUser, updateUser } from "../../store/users/users-table.ts";
import { createSessions } from "../browser-sessions.ts";
import type { ReadGroups } from "../groups/read-group-claim.ts";
import { refreshUser } from "./follow-provider.ts";
import type { Refreshed } from "./provider-client.ts";
import { watchProvider } from "./watch-provider.ts";

const issuer = "https://id.example";
const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const minuteMs = 60_000;

let dataDir: string;
let store: Store;
let time: number;
/** The refresh tokens that were sent. */
let sent: string[];
let answer: (token: string) => Refreshed | Promise<Refreshed>;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-watch-"));
  store = await openTestStore({ dataDir });
  time = 10_000_000;
  sent = [];
  answer = () => confirm(["eng"]);
  await transaction(store.db, async (trx) => {
    const line = { id: "l1", source: "any", pattern: "eng", isPattern: false } as const;
    const given = { tags: ["code"], tagStart: null, role: "user", adminByScim: false } as const;
    const { revision } = await listGroupLines(trx);
    await replaceGroupLines(trx, [{ ...line, ...given }], revision);
  });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

function confirm(names: string[] | ReadGroups, next: string | null = null): Refreshed {
  const groups = Array.isArray(names) ? { names, leftOut: 0 } : names;
  return {
    kind: "confirmed",
    readRefreshToken: next === null ? null : () => next,
    readGroups: async () => groups,
  };
}

const visitor = { ipAddress: null, userAgent: null };
const never = new Promise<void>(() => {});
const log = { warn: () => {} };

/** The watch of one server of the database. */
function openServer(
  given: {
    sleep?: (ms: number) => Promise<void>;
    ended?: "all" | "sessions";
    requiredGroup?: string;
  } = {},
) {
  const follow = {
    db: store.db,
    now: () => time,
    ring: { current: () => ring },
    client: {
      refresh: async (_: string, token: string) => {
        sent.push(token);
        return await answer(token);
      },
    },
    requiredGroup: given.requiredGroup ?? null,
    ended: given.ended ?? "all",
    log,
  } as const;
  return watchProvider({
    db: store.db,
    now: () => time,
    issuer,
    name: "Example ID",
    refresh: (session) => refreshUser(follow, session),
    staleMs: 60 * minuteMs,
    // A call waits for the provider as long as it takes, and for another server in turns.
    sleep: given.sleep ?? ((ms) => (ms < 1_000 ? new Promise(setImmediate) : never)),
  });
}

/** A user who signed in at the provider at `time`. */
async function addUser(name = "ann"): Promise<string> {
  const { id } = await insertUser(store.db, newUser({ email: `${name}@example.com` }));
  await signIn(id, name);
  return id;
}

async function signIn(userId: string, subject: string): Promise<void> {
  const account = { issuer, subject };
  const sealed = sealAtRest(ring, toProviderLocation(account), `token of ${subject}`);
  await transaction(store.db, (trx) =>
    putProviderSession(trx, {
      userId,
      ...account,
      sid: null,
      sealed,
      tokensId: crypto.randomUUID(),
      readAt: time,
      nextAt: time + minuteMs,
      failedSince: null,
      failure: null,
      endedAt: null,
      refusesTokens: false,
    }),
  );
}

const tagsOf = async (id: string) => (await findUserById(store.db, id))?.tags;

describe("how often the provider is asked", () => {
  test("A user who calls on two servers is refreshed at most once a minute, and not after ten minutes without calls", async () => {
    const id = await addUser();
    const servers = [openServer(), openServer()];
    for (let second = 0; second < 300; second += 20) {
      await Promise.all(
        servers.map(async (server) => {
          await server.admit(id);
          await server.refreshDue();
        }),
      );
      time += 20_000;
    }
    // Five minutes: after the sign-in, one refresh begins each minute.
    expect(sent.length).toBe(4);
    for (let minute = 0; minute < 30; minute += 1) {
      time += minuteMs;
      for (const server of servers) await server.refreshDue();
    }
    expect(sent.length).toBeLessThanOrEqual(4 + 10);
    expect(servers.map((server) => server.count())).toEqual([0, 0]);
  });

  test("Many users who call cost one refresh each in a minute, few at a time", async () => {
    const users = [];
    for (let at = 0; at < amount(30, 10_000); at += 1) users.push(await addUser(`user-${at}`));
    let running = 0;
    let most = 0;
    answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return confirm(["eng"]);
    };
    const server = openServer();
    for (const user of users) await server.admit(user);
    time += minuteMs;
    for (let again = 0; again < 3; again += 1) await server.refreshDue();
    expect(sent.toSorted()).toEqual(users.map((_, at) => `token of user-${at}`).toSorted());
    expect(most).toBeLessThanOrEqual(8);
  });

  test("Calls within the minute look at memory alone, and users who never signed in there cost one look", async () => {
    const id = await addUser();
    const { id: local } = await insertUser(store.db, newUser({ email: "local@example.com" }));
    const server = openServer();
    for (const user of [id, local]) expect(await server.admit(user)).toBeNull();
    time += minuteMs - 1;
    // A promise would have read the database.
    expect([server.admit(id), server.admit(local)]).toEqual([null, null]);
    expect(sent).toEqual([]);
  });
});

describe("what the provider says", () => {
  test("The first call after a longer pause sees what the provider says then", async () => {
    const id = await addUser();
    const server = openServer();
    time += 11 * minuteMs;
    await server.admit(id);
    expect(await tagsOf(id)).toEqual(["code"]);
    time += 11 * minuteMs;
    answer = () => confirm([]);
    await server.admit(id);
    expect(await tagsOf(id)).toEqual([]);
    expect(sent).toEqual(["token of ann", "token of ann"]);
  });

  test("A call waits for a slow provider as long as it may, and the next one sees what came", async () => {
    const id = await addUser();
    const { promise, resolve } = Promise.withResolvers<Refreshed>();
    answer = () => promise;
    const server = openServer({ sleep: async () => {} });
    time += 11 * minuteMs;
    expect(await server.admit(id)).toBeNull();
    expect(await tagsOf(id)).toEqual([]);
    resolve(confirm(["eng"]));
    await server.refreshDue();
    time += minuteMs;
    await server.refreshDue();
    expect(await tagsOf(id)).toEqual(["code"]);
  });

  test("A new refresh token takes the place of the one before, also if the process ends before the groups came", async () => {
    const id = await addUser();
    answer = () => ({
      kind: "confirmed",
      readRefreshToken: () => "second",
      readGroups: () => Promise.reject(new Error("killed")),
    });
    time += 11 * minuteMs;
    await expect(openServer().refreshDue()).resolves.toBeUndefined();
    await Promise.resolve(openServer().admit(id)).catch(() => {});
    answer = () => confirm(["eng"]);
    time += minuteMs;
    await openServer().admit(id);
    expect(sent).toEqual(["token of ann", "second"]);
    expect(await tagsOf(id)).toEqual(["code"]);
  });

  test("Groups that are missing now but were sent before are none, and an overage changes nothing", async () => {
    const id = await addUser();
    const server = openServer();
    const refresh = async (names: ReadGroups) => {
      answer = () => confirm(names);
      time += minuteMs;
      await server.admit(id);
      return await tagsOf(id);
    };
    expect(await refresh({ names: ["eng"], leftOut: 0 })).toEqual(["code"]);
    for (const problem of ["overage", "malformed", "too_many", "failed"] as const) {
      expect(await refresh({ names: null, problem })).toEqual(["code"]);
    }
    expect(await refresh({ names: null, problem: "missing" })).toEqual([]);
  });

  test("A missing claim takes the role admin that groups gave, and leaves the one given by hand", async () => {
    await transaction(store.db, async (trx) => {
      const line = { id: "l2", source: "any", pattern: "root", isPattern: false } as const;
      const given = { tags: [], tagStart: null, role: "admin", adminByScim: false } as const;
      const { revision } = await listGroupLines(trx);
      await replaceGroupLines(trx, [{ ...line, ...given }], revision);
    });
    const ids = [await addUser("ann"), await addUser("boss")];
    await updateUser(store.db, ids[1] ?? "", { role: "admin" }, time);
    const server = openServer();
    for (const groups of [["root"], { names: null, problem: "missing" } as const]) {
      answer = () => confirm(groups);
      time += minuteMs;
      for (const id of ids) await server.admit(id);
      const users = await Promise.all(ids.map((id) => findUserById(store.db, id)));
      expect(users).toMatchObject([
        { role: Array.isArray(groups) ? "admin" : "user", status: "active" },
        { role: "admin", status: "active" },
      ]);
    }
  });

  test.each([
    ["missing", null],
    ["missing", ["eng"]],
    ["overage", null],
    ["overage", ["eng"]],
    ["failed", null],
  ] as const)("Groups that are %s where one is required, after %p, disable no user", async (problem, known) => {
    const id = await addUser();
    const session = createSessions({ db: store.db, now: () => time }).prepare(visitor, "");
    await transaction(store.db, (trx) => session.begin(trx, id));
    const server = openServer({ requiredGroup: "eng", ended: "sessions" });
    const read = async (groups: string[] | ReadGroups) => {
      answer = () => confirm(groups);
      time += minuteMs;
      return await server.admit(id);
    };
    if (known !== null) expect(await read([...known])).toBeNull();
    const refusal = await read({ names: null, problem });
    const isRefused = problem === "missing" || (problem === "overage" && known === null);
    expect(refusal !== null).toBe(isRefused);
    const found = await createSessions({ db: store.db, now: () => time }).find(session.token);
    expect(found === null).toBe(isRefused);
    expect(await findUserById(store.db, id)).toMatchObject({ status: "active" });
    expect(await tagsOf(id)).toEqual(problem === "overage" && known !== null ? ["code"] : []);
    await signIn(id, "ann");
    time += 2_000;
    expect(await server.admit(id)).toBeNull();
  });

  test.each([
    "all",
    "sessions",
  ] as const)("A user whom the provider no longer confirms loses the sessions that began there, and %s", async (ended) => {
    const id = await addUser();
    const sessions = createSessions({ db: store.db, now: () => time });
    const made = [sessions.prepare(visitor, ""), sessions.prepare(visitor)];
    for (const one of made) await transaction(store.db, (trx) => one.begin(trx, id));
    answer = () => ({ kind: "ended", reason: "User disabled" });
    const server = openServer({ ended });
    time += minuteMs;
    const refusal = await server.admit(id);
    expect(refusal).toEqual(
      ended === "all" ? expect.stringContaining("Example ID has ended") : null,
    );
    const found = await Promise.all(made.map(({ token }) => sessions.find(token)));
    expect(found.map((one) => one !== null)).toEqual([false, true]);
    expect(await findProviderSession(store.db, id)).toMatchObject({ failure: "User disabled" });
    // Another server admits the user again after a new sign-in, and so does this one.
    const other = openServer({ ended });
    await other.admit(id);
    await signIn(id, "ann");
    time += 2_000;
    answer = () => confirm(["eng"]);
    expect([await server.admit(id), await other.admit(id)]).toEqual([null, null]);
  });

  test("The end of a session that a new sign-in replaced meanwhile changes nothing", async () => {
    const id = await addUser();
    answer = async () => {
      await signIn(id, "ann");
      return { kind: "ended", reason: "Session not active" };
    };
    time += minuteMs;
    expect(await openServer().admit(id)).toBeNull();
    expect((await findProviderSession(store.db, id))?.endedAt).toBeNull();
  });
});

describe("while the provider is away", () => {
  test("What was known holds for the time of the setting, then the user is refused until it answers", async () => {
    const id = await addUser();
    const server = openServer();
    time += minuteMs;
    await server.admit(id);
    answer = () => ({ kind: "failed", reason: "ConnectionRefused" });
    const from = time + minuteMs;
    for (time = from; time < from + 60 * minuteMs; time += minuteMs) {
      expect(await server.admit(id)).toBeNull();
    }
    expect(await tagsOf(id)).toEqual(["code"]);
    expect(await server.admit(id)).toContain("does not answer the hub");
    answer = () => confirm(["eng"]);
    time += minuteMs;
    expect(await server.admit(id)).toBeNull();
  });

  test("A user with a password is not refused: they sign in here, too", async () => {
    const id = await addUser();
    await setPassword(store.db, id, { hash: "h", mustChange: false }, time);
    answer = () => ({ kind: "ended", reason: "User disabled" });
    time += minuteMs;
    expect(await openServer().admit(id)).toBeNull();
  });

  test("A refresh token that no key opens counts as no answer, and says nothing of the user", async () => {
    const id = await addUser();
    const sealed = new Uint8Array([1, 2, 3]);
    const before = await findProviderSession(store.db, id);
    if (before === null) throw new Error("There is no session");
    await transaction(store.db, (trx) => putProviderSession(trx, { ...before, sealed }));
    time += minuteMs;
    expect(await openServer().admit(id)).toBeNull();
    expect(await findProviderSession(store.db, id)).toMatchObject({
      failedSince: time,
      endedAt: null,
    });
  });
});
