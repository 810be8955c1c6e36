/** Protects: who is not confirmed by the provider calls by no door, and neither does a service user of that person. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transaction } from "../store/database/database.ts";
import type { Store } from "../store/store.ts";
import { newUser } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { putProviderSession } from "../store/users/provider-sessions-table.ts";
import { insertToken } from "../store/users/tokens-table.ts";
import { insertUser } from "../store/users/users-table.ts";
import { authenticateBearer, authenticatePersonalToken } from "./authenticate-bearer.ts";
import { createSessions } from "./browser-sessions.ts";
import { findAdmitted } from "./find-admitted.ts";
import { findCaller } from "./find-caller.ts";
import { guardCallers } from "./guard-callers.ts";
import { createPersonalToken } from "./personal-token.ts";
import { watchProvider } from "./sso/watch-provider.ts";

const issuer = "https://id.example";
const time = 10_000_000;
const now = () => time;

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-guard-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** A person of the provider, and a service user of that person, each with a token. */
async function open() {
  const { db, reads } = store;
  const ann = await insertUser(db, newUser({ email: "ann@example.com" }));
  const service = { ownerId: ann.id };
  const bot = newUser({ email: "bot@service.invalid", name: "bot" });
  const robot = await insertUser(db, { ...bot, service });
  const makeToken = async (userId: string, isLimited: boolean) => {
    const { token, tokenHash, lastFour } = createPersonalToken({ isLimited });
    await insertToken(db, {
      id: crypto.randomUUID(),
      userId,
      name: "ci",
      scope: "mcp",
      tokenHash,
      lastFour,
      createdAt: time,
      expiresAt: time + 1_000,
      bounds: null,
    });
    return token;
  };
  const watch = watchProvider({
    db,
    now,
    issuer,
    name: "Example ID",
    staleMs: 3_600_000,
    refresh: async () => {},
  });
  const bearer = { reads, now, recordUse: () => {} };
  const doors = guardCallers(
    {
      authenticate: (token, from) => authenticateBearer(bearer, token, from),
      authenticatePersonalToken: (token) => authenticatePersonalToken(bearer, token),
      sessions: createSessions({ db, now }),
    },
    watch,
  );
  return {
    ann,
    robot,
    doors,
    watch,
    tokens: { ann: await makeToken(ann.id, false), robot: await makeToken(robot.id, true) },
    find: (userId: string) => findAdmitted(watch, () => findCaller({ reads }, userId)),
  };
}

/** The provider says that the session of a person has ended, or has begun. */
async function setSession(userId: string, endedAt: number | null): Promise<void> {
  await transaction(store.db, (trx) =>
    putProviderSession(trx, {
      userId,
      issuer,
      subject: "ann",
      sid: null,
      sealed: null,
      tokensId: "t",
      readAt: time,
      nextAt: time + 60_000,
      failedSince: null,
      failure: null,
      endedAt,
      refusesTokens: endedAt !== null,
    }),
  );
}

const from = { ip: "192.0.2.1" };

test("Tokens of a person and of a service user of that person are refused when the provider ended the sign-in", async () => {
  const { ann, tokens, doors, watch } = await open();
  await setSession(ann.id, null);
  for (const token of Object.values(tokens)) {
    expect(await doors.authenticate(token, from)).not.toBeNull();
    expect(await doors.authenticatePersonalToken(token)).not.toBeNull();
  }
  await setSession(ann.id, time);
  watch.forget(ann.id);
  const ended = "Your sign-in at Example ID has ended.";
  await expect(doors.authenticate(tokens.ann, from)).rejects.toThrow(ended);
  const sentence = `For the owner of this service user: ${ended}`;
  await expect(doors.authenticate(tokens.robot, from)).rejects.toThrow(sentence);
  await expect(doors.authenticatePersonalToken(tokens.robot)).rejects.toThrow(sentence);
});

test("Runs and approved calls find no caller when the provider ended the sign-in of the person", async () => {
  const { ann, robot, find, watch } = await open();
  await setSession(ann.id, null);
  expect((await find(ann.id))?.userId).toBe(ann.id);
  expect((await find(robot.id))?.userId).toBe(robot.id);
  await setSession(ann.id, time);
  watch.forget(ann.id);
  expect([await find(ann.id), await find(robot.id)]).toEqual([null, null]);
});
