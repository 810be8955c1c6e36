import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../store/store.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { createSessions } from "../browser-sessions.ts";
import type { Person } from "./person.ts";
import { createSingleSignOn } from "./single-sign-on.ts";

const visitor = { ipAddress: "192.0.2.7", userAgent: "Browser" };

let dataDir: string;
let store: Store;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-sso-"));
  store = await openTestStore({ dataDir });
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** Finishes the sign-in of a person whom the provider has confirmed. */
function finish(given: Partial<Person>, provedAt: number | null = null, now = Date.now) {
  const issuer = "https://id.example";
  const named = { issuer, subject: "s1", email: "ada@example.com", name: "Ada" };
  const person = { ...named, isEmailVerified: true, ...given };
  const sessions = createSessions({ db: store.db, now });
  const deps = { sessions, db: store.db, now, newUsers: "active" as const };
  const { finish: finishHere } = createSingleSignOn({
    ...deps,
    name: "Example",
    allowedDomains: ["example.com"],
    following: null,
    endByLogout: async () => {},
    relyingParty: {
      begin: async () => ({ url: "", cookie: "" }),
      finish: async () => ({
        person,
        there: { sid: "sid-1", provedAt, groups: null, readRefreshToken: null },
        destination: "/profile/tokens",
      }),
    },
  });
  return { sessions, finished: finishHere("", null, visitor) };
}

test("A confirmed person gets a session of this visitor, and continues where the sign-in began", async () => {
  const { sessions, finished } = finish({});
  const { token, destination } = await finished;
  expect(destination).toBe("/profile/tokens");
  const { user } = (await sessions.find(token)) ?? {};
  expect(user?.email).toBe("ada@example.com");
  expect(await sessions.listOf(user?.id ?? "")).toMatchObject([visitor]);
});

test("A session is fresh since the person signed in at the provider, which may be long ago or not said", async () => {
  for (const [provedAt, freshAt] of [
    [null, 0],
    [5000, 5000],
    // A clock that is ahead must not make a session fresh for longer.
    [Number.MAX_SAFE_INTEGER, 1_000_000],
  ] as const) {
    const { sessions, finished } = finish({}, provedAt, () => 1_000_000);
    expect((await sessions.find((await finished).token))?.freshAt).toBe(freshAt);
  }
});

test("A confirmed person without access gets no token", async () => {
  const { finished } = finish({ subject: "s2", email: "eve@example.org" });
  await expect(finished).rejects.toMatchObject({ code: "forbidden" });
});
