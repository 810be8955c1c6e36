/**
 * Protects: what is taken away is gone at the next request of every kind, in the process that took it
 * away and in another one on the same data folder. Each change is tried at each door in each process. The suite tries four of the
 * changes, and starts a session over stdio only for one that ends it; `HUB_TEST_AMOUNT=all` tries all.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isWholeAmount, someOf } from "@hub/server/lib/testing/amount.ts";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
} from "./support/oauth-fixture.ts";
import { type Account, openAccount } from "./support/open-account.ts";
import { openSecondProcess } from "./support/open-second-process.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { initialize, openStdioSession, type StdioSession } from "./support/stdio-session.ts";

setDefaultTimeout(180_000);

/** What a door gives: the row, an answer without the row, or nothing. */
type Reach = "row" | "in" | "out";

const rowLabel = "Row behind the doors";
const owned = new AsyncDisposableStack();
/** The changes are made in the first. */
let bases: [first: string, second: string];
let stage: OAuthFixture;
let adminHeaders: Record<string, string>;

beforeAll(async () => {
  stage = owned.use(await openOAuthFixture({ isHere: true }));
  bases = [stage.base, owned.use(await openSecondProcess(stage)).base];
  adminHeaders = { authorization: `Bearer ${await stage.hub.makeManageToken()}` };
  const set = ["--set", "base_url=https://outside.example", "--tag", "red"];
  await stage.hub.cli("row", "add", "http", "--label", rowLabel, ...set);
});
afterAll(() => owned.disposeAsync());

type Subject = {
  account: Account;
  /** As a thief would have kept it: the browser itself forgets it when its user signs out. */
  cookie: string;
  stdio: StdioSession | null;
  mcpSession: string;
};
type Door = (subject: Subject, base: string) => Promise<Reach>;

const listCall = (id: number | string = 1) => toToolCall("hub_list", {}, id);

async function toReach(answer: Response): Promise<Reach> {
  const text = await answer.text();
  const isSentToSignIn = answer.headers.get("location")?.startsWith("/auth/login") ?? false;
  if ([400, 401].includes(answer.status) || isSentToSignIn) return "out";
  return answer.status === 200 && text.includes(rowLabel) ? "row" : "in";
}

const byToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const bySession = ({ cookie }: Subject) => ({
  headers: { cookie },
  redirect: "manual" as const,
});
const grantFor = (subject: Subject, base: string) => {
  const grant = subject.account.grants[bases.indexOf(base)];
  if (grant === undefined) throw new Error("Each process has an application of its own.");
  return grant;
};

const rowsPath = "/manager/api/rows";
/** Answers admins alone: "in" is a refusal of somebody who is known. */
const usersPath = "/admin/api/users";
let stdioCalls = 0;

const doors = {
  "MCP by personal token": async ({ account }, base) =>
    toReach(await postRpc(base, account.pat.token, listCall())),
  "MCP by personal token, in an open session": async ({ account, mcpSession }, base) =>
    toReach(
      await postRpc(base, account.pat.token, listCall(), {
        accept: "text/event-stream",
        "mcp-session-id": mcpSession,
      }),
    ),
  "MCP by an application's token": async (subject, base) =>
    toReach(await postRpc(base, grantFor(subject, base).tokens.access_token, listCall())),
  "an application's refresh": async (subject, base) => {
    const grant = grantFor(subject, base);
    const { clientId, tokens } = grant;
    const answer = await createTestOAuthClient(base).refresh(clientId, tokens.refresh_token);
    if (answer.status !== 200) return "out";
    grant.tokens = Object(await answer.json());
    return toReach(await postRpc(base, grant.tokens.access_token, listCall()));
  },
  // Its process is neither of the two, and has been there since before the change.
  "stdio as this user": async ({ stdio }) => {
    if (stdio === null) return "row";
    stdioCalls += 1;
    stdio.send(listCall(stdioCalls));
    const { error, result } = await stdio.answerTo(stdioCalls);
    if (error !== undefined || result.isError) return "out";
    return JSON.stringify(result).includes(rowLabel) ? "row" : "in";
  },
  "a page": async (subject, base) => toReach(await fetch(`${base}/profile`, bySession(subject))),
  "API by session": async (subject, base) =>
    toReach(await fetch(`${base}${rowsPath}`, bySession(subject))),
  "API by personal token": async ({ account }, base) =>
    toReach(await fetch(`${base}${rowsPath}`, byToken(account.pat.token))),
  "admins' API by session": async (subject, base) =>
    toAdminReach(await fetch(`${base}${usersPath}`, bySession(subject))),
  "admins' API by personal token": async ({ account }, base) =>
    toAdminReach(await fetch(`${base}${usersPath}`, byToken(account.pat.token))),
} satisfies Record<string, Door>;

const toAdminReach = async (answer: Response): Promise<Reach> =>
  answer.status === 200 ? "row" : await toReach(answer);

type DoorName = keyof typeof doors;
type Expected = Record<DoorName, Reach>;

const ofUser: Expected = {
  "MCP by personal token": "row",
  "MCP by personal token, in an open session": "row",
  "MCP by an application's token": "row",
  "an application's refresh": "row",
  "stdio as this user": "row",
  "a page": "in",
  "API by session": "row",
  "API by personal token": "row",
  "admins' API by session": "in",
  "admins' API by personal token": "in",
};
const all = (given: Reach): Expected =>
  // Every name of the record is among its keys.
  Object.fromEntries(Object.keys(doors).map((name) => [name, given])) as Expected;
const ofAdmin: Expected = { ...all("row"), "a page": "in" };
const sessionsEnd: Expected = {
  ...ofUser,
  "a page": "out",
  "API by session": "out",
  "admins' API by session": "out",
};

type Change = {
  as?: "admin";
  make: (subject: Subject) => Promise<unknown>;
  expected: Expected;
};

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${stage.base}${path}`, {
    method,
    headers: { ...adminHeaders, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([path, answer.status]).toEqual([path, 200]);
};

/** Sends each form of the profile whose address is this one, from the person's other browser. */
async function submitOnProfile({ account }: Subject, pattern: RegExp): Promise<void> {
  const page = await account.otherBrowser.open(`${stage.base}/profile`);
  const forms = page.forms.filter(({ action }) => pattern.test(action));
  expect(forms).not.toHaveLength(0);
  for (const { action } of forms) await account.otherBrowser.send(page, action, {});
}

const changes: Record<string, Change> = {
  "the user disabled": {
    make: ({ account }) => ask("POST", `/admin/api/users/${account.id}/disable`),
    expected: all("out"),
  },
  "the user disabled, and enabled again": {
    async make({ account }) {
      await ask("POST", `/admin/api/users/${account.id}/disable`);
      await ask("POST", `/admin/api/users/${account.id}/enable`);
    },
    expected: sessionsEnd,
  },
  "the personal token revoked": {
    make: ({ account }) => ask("POST", `/admin/api/tokens/${account.pat.id}/revoke`),
    expected: {
      ...ofUser,
      "MCP by personal token": "out",
      "MCP by personal token, in an open session": "out",
      "API by personal token": "out",
      "admins' API by personal token": "out",
    },
  },
  "its applications cut off": {
    make: (subject) => submitOnProfile(subject, /\/applications\/.*\/revoke$/),
    expected: {
      ...ofUser,
      "MCP by an application's token": "out",
      "an application's refresh": "out",
    },
  },
  "its other sessions ended": {
    make: (subject) => submitOnProfile(subject, /\/sessions\/end-others$/),
    expected: sessionsEnd,
  },
  "signed out in that browser": {
    make: async ({ account: { browser } }) => {
      const page = await browser.open(`${stage.base}/profile`);
      const login = await browser.send(page, "/auth/logout", {});
      expect(new URL(login.url).pathname).toBe("/auth/login");
    },
    expected: sessionsEnd,
  },
  "the tag taken away": {
    make: ({ account }) => ask("PATCH", `/admin/api/users/${account.id}`, { tags: [] }),
    expected: all("in"),
  },
  "the password changed in another browser": {
    make: async ({ account: { otherBrowser, password } }) => {
      const page = await otherBrowser.open(`${stage.base}/auth/password`);
      const next = `${password} and more`;
      const fields = { current: password, new_password: next, repeated: next };
      const after = await otherBrowser.submit(page, fields);
      expect(new URL(after.url).pathname).toBe("/");
    },
    expected: sessionsEnd,
  },
  "a one-time password given by an admin": {
    make: ({ account }) => stage.hub.cli("user", "password", account.email),
    expected: sessionsEnd,
  },
  "the role of admin taken away": {
    as: "admin",
    make: ({ account }) => ask("PATCH", `/admin/api/users/${account.id}`, { role: "user" }),
    expected: all("in"),
  },
};

/** Without a session over stdio, that door is taken to be open. */
async function openSubject(name: string, { as, expected }: Change): Promise<Subject> {
  const flags = as === "admin" ? { admin: true } : { tags: ["red"] };
  const email = `${name.replaceAll(/\W+/g, "-")}@example.com`;
  const account = await openAccount(stage, email, { ...flags, applications: bases.length });
  const isStdioTried = isWholeAmount || expected["stdio as this user"] !== "row";
  const stdio = isStdioTried ? await openStdio(email) : null;
  const begun = await postRpc(stage.base, account.pat.token, initialize);
  const mcpSession = begun.headers.get("mcp-session-id");
  if (mcpSession === null) throw new Error("The hub gave no session id.");
  const cookie = `hub_session=${account.browser.cookie("hub_session")}`;
  return { account, cookie, stdio, mcpSession };
}

async function openStdio(email: string): Promise<StdioSession> {
  const session = openStdioSession({ dataDir: stage.hub.dataDir, args: ["--user", email] });
  session.send(initialize);
  await session.answerTo("initialize");
  return session;
}

async function tryDoors(subject: Subject): Promise<Record<string, Record<string, Reach>>> {
  const given: Record<string, Record<string, Reach>> = {};
  for (const [process, base] of Object.entries({ first: bases[0], second: bases[1] })) {
    const here: Record<string, Reach> = {};
    for (const [name, door] of Object.entries(doors)) here[name] = await door(subject, base);
    given[process] = here;
  }
  return given;
}

describe.each(someOf(4, Object.entries(changes)))("%s", (name, change) => {
  const { as, make, expected } = change;
  test("counts at once at every door, in both processes", async () => {
    const subject = await openSubject(name, change);
    await using _ = subject.stdio;
    const before = as === "admin" ? ofAdmin : ofUser;
    expect(await tryDoors(subject)).toEqual({ first: before, second: before });
    await make(subject);
    expect(await tryDoors(subject)).toEqual({ first: expected, second: expected });
  });
});
