/** Protects: a call that runs ends with the right of its caller, who gets neither its progress nor its outcome. */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit } from "./support/audit.ts";
import { createBrowser } from "./support/browser.ts";
import { signIn } from "./support/oauth-fixture.ts";
import { queryDatabase } from "./support/query-database.ts";
import { openRaw, toRequest } from "./support/raw-http.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";
import { initialize, openStdioSession } from "./support/stdio-session.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
/** The answers that the outside system holds back. */
let held: Array<() => void> = [];
const word = "what-only-the-row-knows";
/** The caller of a call that takes a second is checked again. */
const checkedFromMs = 1_050;
let hub: RunningHub;
let adminToken: string;

beforeAll(async () => {
  const outside = Bun.serve({
    port: 0,
    async fetch() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.push(resolve);
      await promise;
      return Response.json({ word });
    },
  });
  owned.defer(() => outside.stop(true));
  hub = owned.use(await startHub({ isHere: true, env: { HUB_OUTBOUND_ALLOW: "127.0.0.1" } }));
  adminToken = await hub.makeManageToken();
  address = `http://127.0.0.1:${outside.port}`;
});
afterAll(() => owned.disposeAsync());
afterEach(answerHeld);

function answerHeld(): void {
  for (const answer of held) answer();
  held = [];
}
let address: string;

type Subject = { user: TestUser; tag: string; rowId: string; label: string; toolId: string };
let subjects = 0;

/** A user who sees one row by a tag. */
async function openSubject(): Promise<Subject> {
  subjects += 1;
  const tag = `team-${subjects}`;
  const label = `Held ${subjects}`;
  const user = await hub.addUser(`user-${subjects}@example.com`, { tags: [tag] });
  const set = ["--set", `base_url=${address}`, "--tag", tag];
  const made = await hub.cli("row", "add", "http", "--label", label, ...set, "--json");
  const { id } = made.json<{ id: string }>();
  return { user, tag, rowId: id, label, toolId: `conn:${id}/get` };
}

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([path, answer.status]).toEqual([path, 200]);
};

const execute = ({ toolId }: Subject) =>
  toToolCall("hub_execute", { tool_id: toolId, params: { path: "/" } });

const losses: Record<string, { code: string; lose(subject: Subject): Promise<unknown> }> = {
  "the token is revoked": {
    code: "unauthorized",
    lose: ({ user }) => hub.cli("token", "revoke", user.tokenId),
  },
  "the user is disabled": {
    code: "unauthorized",
    lose: ({ user }) => hub.cli("user", "disable", user.email),
  },
  "the tag of the row is taken away": {
    code: "not_found",
    lose: ({ user, tag }) => hub.cli("user", "set", user.email, "--untag", tag),
  },
  "the row is deleted": {
    code: "not_found",
    lose: ({ rowId }) => ask("DELETE", `/manager/api/rows/${rowId}`),
  },
};

/** Starts a call and waits until the outside system has it. */
async function startCall(
  subject: Subject,
  accept: string,
  count = 1,
): Promise<{ text: Promise<string> }> {
  const answer = postRpc(hub.url, subject.user.token, execute(subject), { accept });
  const text = answer.then((response) => response.text());
  await waitFor(() => held.length === count);
  return { text };
}

describe.each(["application/json", "text/event-stream"])("with Accept: %s", (accept) => {
  test("A call whose caller keeps the right gets its answer", async () => {
    const { text } = await startCall(await openSubject(), accept);
    answerHeld();
    expect(await text).toContain(word);
  });

  test("Nothing of a running call is sent after its caller's right has ended, and the call is recorded", async () => {
    // A call has a minute, so a busy machine makes the subjects before.
    const ready = [];
    for (const [what, { code, lose }] of Object.entries(losses)) {
      ready.push({ what, code, lose, subject: await openSubject() });
    }
    const calls = [];
    for (const each of ready) {
      const { text } = await startCall(each.subject, accept, calls.length + 1);
      calls.push({ ...each, text });
    }
    for (const { lose, subject } of calls) await lose(subject);
    await Bun.sleep(checkedFromMs);
    answerHeld();
    expect(calls).toHaveLength(4);
    for (const { what, code, subject, text } of calls) {
      const answer = await text;
      expect([what, answer]).toEqual([what, expect.stringContaining(code)]);
      expect(answer).not.toContain(word);
      const runs = readAudit(hub.dataDir).filter(({ connector_id: row }) => row === subject.rowId);
      expect(runs).toMatchObject([{ status: "success" }]);
    }
  });
});

nightlyTest(
  "Over the API, nothing of a running test or retry is sent after its user has lost the right to it",
  async () => {
    const set = ({ user }: Subject, ...flags: string[]) =>
      hub.cli("user", "set", user.email, ...flags);
    const untag = (subject: Subject) => set(subject, "--untag", subject.tag);
    const close = ({ rowId }: Subject) => hub.cli("row", "set", rowId, "--tests", "admins");
    const demote = (subject: Subject) => set(subject, "--role", "user");
    const ends = [
      { what: "the row keeps its tests", code: 403, source: "test", end: close },
      { what: "an admin is one no more", code: 404, source: "test", end: demote },
      { what: "the tag is gone", code: 404, source: "test", end: untag },
      { what: "the tag is gone from one who retries", code: 404, source: "retry", end: untag },
    ];
    const ready = [];
    for (const one of ends) {
      const subject = await openSubject();
      await hub.cli("row", "set", subject.rowId, "--tests", "tag");
      if (one.end === demote) await set(subject, "--role", "admin");
      const flags = [
        "--user",
        subject.user.email,
        "--name",
        "manage",
        "--scope",
        "manage",
        "--json",
      ];
      const { token } = (await hub.cli("token", "create", ...flags)).json<{ token: string }>();
      const post = (path: string, body?: object) =>
        fetch(`${hub.url}/manager/api${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
      const test = () =>
        post(`/rows/${subject.rowId}/operations/get/test`, { params: { path: "/" } });
      ready.push({ ...one, subject, post, test });
    }
    const tests = [];
    for (const { test, post, ...one } of ready) {
      const before = tests.length;
      let start = test;
      if (one.source === "retry") {
        const first = test();
        await waitFor(() => held.length === before + 1);
        held.pop()?.();
        const { run_id } = JSON.parse(await (await first).text());
        start = () => post(`/runs/${run_id}/retry`);
      }
      tests.push({ ...one, answer: start() });
      await waitFor(() => held.length === before + 1);
    }
    for (const { end, subject } of ready) await end(subject);
    await Bun.sleep(checkedFromMs);
    answerHeld();
    expect(tests).toHaveLength(4);
    for (const { what, code, source, subject, answer } of tests) {
      const { status, text } = await answer.then(async (got) => ({
        status: got.status,
        text: await got.text(),
      }));
      expect([what, status]).toEqual([what, code]);
      expect(text).not.toContain(word);
      const runs = readAudit(hub.dataDir).filter(({ connector_id: row }) => row === subject.rowId);
      expect(runs.at(-1)).toMatchObject({ source, status: "success" });
      expect(runs).toHaveLength(source === "retry" ? 2 : 1);
    }
  },
);

test("Over stdio, nothing of a running call is sent after its user is disabled", async () => {
  const subject = await openSubject();
  const args = ["--user", subject.user.email];
  const env = { HUB_OUTBOUND_ALLOW: "127.0.0.1" };
  await using stdio = openStdioSession({ dataDir: hub.dataDir, args, env });
  stdio.send(initialize);
  await stdio.answerTo("initialize");
  stdio.send({ ...execute(subject), id: 7 });
  await waitFor(() => held.length > 0);
  await hub.cli("user", "disable", subject.user.email);
  await Bun.sleep(checkedFromMs);
  answerHeld();
  const { result } = await stdio.answerTo(7);
  expect(JSON.stringify(result)).toContain("unauthorized");
  expect(JSON.stringify(result)).not.toContain(word);
});

test("A form that arrives after its user was disabled changes nothing", async () => {
  const base = `http://localhost:${hub.port}`;
  const made = await hub.cli("user", "add", "slow@example.com", "--password", "--json");
  const first = made.json<{ one_time_password: string }>().one_time_password;
  const browser = createBrowser();
  await signIn(browser, base, { email: "slow@example.com", password: first });
  const page = await browser.open(`${base}/auth/password`);
  const next = "correct horse battery staple 42";
  await browser.submit(page, { new_password: next, repeated: next });
  const tokens = await browser.open(`${base}/profile/tokens`);
  const csrf = /name="csrf" value="([^"]*)"/.exec(tokens.text)?.[1] ?? "";
  const body = `${new URLSearchParams({ csrf, name: "late", scope: "manage" })}`;
  await using raw = await openRaw(hub.port);
  const head = toRequest("POST /profile/tokens HTTP/1.1", [
    `Host: localhost:${hub.port}`,
    `Cookie: ${browser.cookieHeader(base)}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
  ]);
  raw.send(head + body.slice(0, 10));
  // An answer on another connection shows that the hub has begun with the form.
  await fetch(`${base}/health`);
  await hub.cli("user", "disable", "slow@example.com");
  raw.send(body.slice(10));
  expect((await raw.answer())?.status).toBe(403);
  const stored = queryDatabase(
    hub.dataDir,
    "select id from personal_access_tokens where name = 'late'",
  );
  expect(stored).toEqual([]);
});
