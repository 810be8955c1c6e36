/**
 * Protects: only a person whom the rule lets decide approves a call, once, in time, and about what was shown. All others
 * are refused, and nothing runs without the decision.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CallRuleInput } from "@hub/contract/call-rule.ts";
import type { Actor } from "@hub/server/changes/actor.ts";
import { commandLineActor, LOCAL_ADMIN_ID, localAdmin } from "@hub/server/identity/local-admin.ts";
import { sealValue } from "@hub/server/secrets/value-tokens/value-tokens.ts";
import { addServiceUser } from "@hub/server/services/machines/manage-service-users.ts";
import { decidePendingCall } from "@hub/server/services/pending/decide-pending-call.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { insertTestPendingCall } from "@hub/server/store/testing/new-pending-call.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { updateUser } from "@hub/server/store/users/users-table.ts";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";

setDefaultTimeout(180_000);

const callsPath = "/manager/api/pending-calls";

let hub: ApiHub;
let users = 0;

type Person = Awaited<ReturnType<ApiHub["addUser"]>> & { browser: Credentials };

/** A user with a token and a browser. */
async function addPerson(given: { admin?: boolean; tags?: string[] } = {}): Promise<Person> {
  const user = await hub.addUser(`person-${++users}@example.com`, given);
  return { ...user, browser: await hub.openBrowser(user.user.id) };
}

let caller: Person;
let lead: Person;
let admin: Person;
beforeAll(async () => {
  hub = await openApiHub();
  caller = await addPerson({ tags: ["red"] });
  lead = await addPerson({ tags: ["leads"] });
  admin = await addPerson({ admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const byLeads: CallRuleInput = { asks: "always", decide: { by: "tags", tags: ["leads"] } };

/** A row whose calls are asked about. */
async function addAskedRow(rule: CallRuleInput = byLeads): Promise<string> {
  const { id } = await hub.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
  await setRule(hub.hub.services, commandLineActor, id, rule);
  return id;
}

/** An encrypted value of the caller. */
const sealToken = () =>
  sealValue(
    hub.hub.services.ring.current(),
    { userId: caller.user.id, rowId: null },
    "a-secret-9fK2xQ7vLm4R",
  );

type Called = { isError: boolean; answer: Record<string, unknown> };

/** Calls as a client of the user. */
async function call(
  row: string,
  given: object = { params: { name: "Ada" } },
  headers = caller.headers,
): Promise<Called> {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "hub_execute",
        arguments: { tool_id: `conn:${row}/greet`, ...given },
      },
    }),
  });
  const { result } = (await response.json()) as {
    result: { isError?: boolean; content: Array<{ text: string }> };
  };
  return {
    isError: result.isError === true,
    answer: JSON.parse(result.content[0]?.text ?? "{}"),
  };
}

type Asked = { row: string; id: string; hash: string };

/** A call that is asked about, as an admin sees it. */
async function ask(
  row: string,
  given?: object,
  headers = caller.headers,
): Promise<Asked & Record<string, unknown>> {
  const { answer } = await call(row, given, headers);
  expect(answer).toMatchObject({ code: "approval_required" });
  const shown = await show(admin, `${answer.pending_id}`);
  expect(shown.status).toBe(200);
  return { ...shown.body, row };
}

const show = (by: Person, id: string) =>
  hub.request("GET", `${callsPath}/${id}`, { headers: by.browser });

const decideWith = (headers: Credentials, { id, hash }: Asked, more: object = {}) =>
  hub.request("POST", `${callsPath}/${id}/decision`, {
    headers,
    body: { decision: "approved", hash, ...more },
  });
const decide = (by: Person, asked: Asked, more: object = {}) => decideWith(by.browser, asked, more);

async function expectState(asked: Asked, state: string) {
  expect((await show(admin, asked.id)).body.state).toBe(state);
}

type Answer = Awaited<ReturnType<ApiHub["request"]>>;

/** The decision is refused, and the call waits as before. */
async function expectRefused(answer: Answer, status: number, part: string, asked: Asked) {
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(part)]);
  await expectState(asked, "open");
  expect((await call(asked.row)).isError).toBe(true);
}

describe("a decision", () => {
  test("An approved call runs once when it is made again, and question, decision and run are on record", async () => {
    const row = await addAskedRow();
    const asked = await ask(row);
    expect(asked).toMatchObject({
      state: "open",
      user: caller.user.email,
      made_by: "test",
      operation: "greet",
      values: [{ label: "name", value: "Ada" }],
      params: { name: "Ada" },
      decider: { by: "tags", tags: ["leads"] },
      may_decide: false,
      source: "mcp",
    });
    const decided = await decide(lead, asked, { comment: "Fine." });
    expect(decided.body).toMatchObject({
      state: "approved",
      decided_by: lead.user.email,
      decided_via: "session",
      comment: "Fine.",
    });
    const { isError, answer } = await call(row);
    expect([isError, answer.greeting]).toEqual([false, "Hello Ada"]);
    await expectState(asked, "done");
    const [change] = await hub.admin.changes.list({ targetId: asked.id });
    expect(change).toMatchObject({
      action: "call.approve",
      actor: lead.user.email,
      detail: { user: caller.user.email, row, made_by: "test" },
    });
    const runs = await hub.admin.runs.list({ row });
    expect(runs.map(({ status }) => status)).toEqual(["success", "denied"]);
  });

  test("A denial is told to the client with its comment, and nothing runs", async () => {
    const row = await addAskedRow();
    const asked = await ask(row);
    const decided = await decide(lead, asked, { decision: "denied", comment: "Not today." });
    expect(decided.body.state).toBe("denied");
    const { answer } = await call(row);
    expect(answer).toMatchObject({ code: "refused_by_rule" });
    expect(JSON.stringify(answer)).toContain("Not today.");
    const [change] = await hub.admin.changes.list({ targetId: asked.id });
    expect(change?.action).toBe("call.deny");
    const runs = await hub.admin.runs.list({ row });
    expect(runs.map(({ status }) => status)).toEqual(["denied", "denied"]);
  });

  test("Two decisions at once are one: the other one is refused", async () => {
    const row = await addAskedRow();
    const asked = await ask(row);
    const other = await addPerson({ tags: ["leads"] });
    const answers = await Promise.all([
      decide(lead, asked),
      decide(other, asked, { decision: "denied" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const changes = await hub.admin.changes.list({ targetId: asked.id });
    expect(changes).toHaveLength(1);
  });

  test("The caller decides where the rule says so, in a browser", async () => {
    const row = await addAskedRow({ asks: "always" });
    const asked = await ask(row);
    expect((await show(caller, asked.id)).body.may_decide).toBe(true);
    await expectRefused(await decide(admin, asked), 403, "Only the user whose client", asked);
    expect((await decide(caller, asked)).status).toBe(200);
    expect((await call(row)).isError).toBe(false);
  });

  test("The approval of a client's call holds for 15 minutes, that of a workflow's until its question ends", async () => {
    const row = await addAskedRow({ asks: "always" });
    for (const principal of [null, "workflow:run-1"]) {
      const { id } = await ask(row, { params: { name: principal ?? "Ada" } });
      if (principal !== null) {
        const ofWorkflow = "update pending_calls set principal = ? where id = ?";
        await runSql(hub.hub.services.store.db, ofWorkflow, principal, id);
      }
      const { body } = await show(caller, id);
      const { body: decided } = await decide(caller, { row, id, hash: `${body.hash}` });
      const inMinutes = Date.parse(`${decided.decided_at}`) + 15 * 60_000;
      const atEnd = Date.parse(`${decided.expires_at}`);
      expect(atEnd).toBeGreaterThan(inMinutes);
      expect(Date.parse(`${decided.approved_until}`)).toBe(principal === null ? inMinutes : atEnd);
    }
  });

  test("Any signed-in admin decides a call of the local admin, and no other user", async () => {
    const row = await addAskedRow({ asks: "always" });
    // As stdio does.
    const callLocally = () =>
      hub.hub.services.operations.calls.call(
        {
          caller: localAdmin,
          origin: { source: "mcp", ip: null, userAgent: null },
          signal: AbortSignal.timeout(60_000),
        },
        { toolId: `conn:${row}/greet`, params: { name: "Ada" } },
      );
    const asked = await callLocally().then(
      () => null,
      (thrown) => thrown,
    );
    expect(asked).toMatchObject({ code: "approval_required" });
    const id = String(asked.detail.pending_id);
    const { body } = await show(admin, id);
    expect(body).toMatchObject({ user: "local-admin", may_decide: true });
    expect((await show(lead, id)).status).toBe(404);
    expect((await decide(lead, { row, id, hash: body.hash })).status).toBe(404);
    const atMachine = { id, hash: body.hash, decision: "approved" } as const;
    const byCommand = decidePendingCall(hub.hub.services, commandLineActor, atMachine);
    await expect(byCommand).rejects.toMatchObject({ code: "forbidden" });
    expect((await decide(admin, { row, id, hash: body.hash })).body.state).toBe("approved");
    expect(JSON.stringify(await callLocally())).toContain("Hello Ada");
  });
});

describe("who may not decide", () => {
  let asked: Asked;
  beforeAll(async () => {
    asked = await ask(await addAskedRow());
  });

  test("A manage token of an approver is refused", async () => {
    await expectRefused(await decideWith(lead.headers, asked), 403, "A token cannot", asked);
  });

  test("An mcp token of an approver is refused", async () => {
    const token = await hub.addToken(lead.user.email, "mcp");
    await expectRefused(await decideWith(token, asked), 403, "valid for MCP only", asked);
  });

  test("A token of an application of an approver is refused", async () => {
    const token = await hub.addApplicationToken(lead.user.id);
    await expectRefused(await decideWith(token, asked), 403, "valid for MCP only", asked);
  });

  test("The browser of an approver without its CSRF token is refused", async () => {
    const { cookie = "" } = lead.browser;
    await expectRefused(await decideWith({ cookie }, asked), 403, "X-CSRF-Token", asked);
  });

  test("The command line and the hub itself are refused at the service, also for an approver", async () => {
    const { id, hash } = asked;
    const as = (actor: Partial<Actor>) =>
      decidePendingCall(
        hub.hub.services,
        { ...commandLineActor, userId: lead.user.id, ...actor },
        { id, hash, decision: "approved" },
      );
    for (const actor of [
      { via: "command line" },
      { via: "hub" },
      { via: "token", tokenId: lead.tokenId },
      { via: "session", tokenId: lead.tokenId },
    ] as const) {
      await expect(as(actor)).rejects.toMatchObject({ code: "forbidden" });
    }
    await expectState(asked, "open");
  });

  test("The caller is refused where the rule says that others decide", async () => {
    const tagged = await addPerson({ tags: ["red", "leads"] });
    const own = await ask(asked.row, undefined, tagged.headers);
    expect((await show(tagged, own.id)).body).toMatchObject({ may_decide: false });
    const answer = await decide(tagged, own);
    expect([answer.status, answer.body.error]).toEqual([
      403,
      expect.stringContaining("You make this call"),
    ]);
    await expectState(own, "open");
  });

  test("An admin without a deciding tag is refused", async () => {
    await expectRefused(await decide(admin, asked), 403, "not one of the approvers", asked);
  });

  test("A forwarded link opened by another user names no person, and refuses as for an absent call", async () => {
    const stranger = await addPerson({ tags: ["red"] });
    const shown = await show(stranger, asked.id);
    const absent = await show(stranger, "0".repeat(32));
    expect(shown.status).toBe(404);
    expect(shown.body).toEqual(absent.body);
    expect(shown.body.error).toContain("waits for another user");
    expect(JSON.stringify(shown.body)).not.toContain("@");
    await expectRefused(await decide(stranger, asked), 404, "waits for another user", asked);
  });

  test("Another principal of the same user gets nothing from the pending id", async () => {
    const token = await hub.addToken(caller.user.email, "mcp");
    const { answer } = await call(asked.row, { pending_id: asked.id }, token);
    expect(answer.code).toBe("not_found");
    await expectState(asked, "open");
  });

  test("A decision about something else than what is asked is refused", async () => {
    const other = { ...asked, hash: "another" };
    await expectRefused(await decide(lead, other), 409, "not what this call asks", asked);
  });

  test("A disabled approver is refused, and so is one whose tag was taken", async () => {
    const gone = await addPerson({ tags: ["leads"] });
    await updateUser(hub.store.db, gone.user.id, { status: "disabled" }, Date.now());
    await expectRefused(await decide(gone, asked), 401, "", asked);
    // The page was open before.
    const actor: Actor = { ...commandLineActor, userId: gone.user.id, via: "chat" };
    const { id, hash } = asked;
    const late = decidePendingCall(hub.hub.services, actor, { id, hash, decision: "approved" });
    await expect(late).rejects.toMatchObject({ code: "not_found" });
    const untagged = await addPerson({ tags: ["leads"] });
    await hub.admin.users.set(untagged.user.id, { removeTags: ["leads"] });
    await expectRefused(await decide(untagged, asked), 404, "", asked);
  });

  test("An admin of yesterday is refused about a call of the local admin", async () => {
    const was = await addPerson({ admin: true });
    const { id } = await insertTestPendingCall(hub.store.db, {
      userId: LOCAL_ADMIN_ID,
      principal: "stdio",
      rowId: asked.row,
      createdAt: Date.now(),
    });
    const { hash } = (await show(was, id)).body;
    await updateUser(hub.store.db, was.user.id, { role: "user" }, Date.now());
    expect((await decide(was, { row: asked.row, id, hash })).status).toBe(404);
  });

  test("Who got or gave the deciding tag since the question is refused", async () => {
    const lateLead = await addPerson();
    const giver = await addPerson({ admin: true, tags: ["leads"] });
    const given = await hub.request("PATCH", `/admin/api/users/${lateLead.user.id}`, {
      headers: giver.browser,
      body: { tags: ["leads"] },
    });
    expect(given.status).toBe(200);
    await expectRefused(await decide(giver, asked), 403, "Since the question", asked);
    expect((await show(giver, asked.id)).body.may_decide).toBe(false);
  });

  test("The writer of the rule since the question is refused, and the question is asked anew", async () => {
    const row = await addAskedRow();
    const own = await ask(row);
    const writer = await addPerson({ admin: true, tags: ["leads"] });
    const set = await hub.request("PUT", `/manager/api/rows/${row}/rules`, {
      headers: writer.browser,
      body: { ...byLeads, sentence: "Another one." },
    });
    expect(set.status).toBe(200);
    const answer = await decide(writer, own);
    expect([answer.status, answer.body.error]).toEqual([
      403,
      expect.stringContaining("you changed the rule"),
    ]);
    const late = await decide(lead, own);
    expect([late.status, late.body.error]).toEqual([
      409,
      expect.stringContaining("The rule has changed"),
    ]);
    await expectState(own, "changed");
  });

  test("A second decision is refused, and so is one after the end", async () => {
    const row = await addAskedRow();
    const twice = await ask(row);
    expect((await decide(lead, twice, { decision: "denied" })).status).toBe(200);
    const again = await decide(lead, twice);
    expect([again.status, again.body.error]).toEqual([
      409,
      expect.stringContaining("has denied it already"),
    ]);
    const late = await ask(row, { params: { name: "Bob" } });
    await runSql(
      hub.store.db,
      "update pending_calls set expires_at = ? where id = ?",
      Date.now() - 1,
      late.id,
    );
    const answer = await decide(lead, late);
    expect([answer.status, answer.body.error]).toEqual([
      409,
      expect.stringContaining("It expired at"),
    ]);
    await expectState(late, "expired");
  });

  test("A call of a user who was disabled, or of a row that was disabled, ends instead of being approved", async () => {
    const leaver = await addPerson({ tags: ["red"] });
    const row = await addAskedRow();
    const [ofLeaver, ofRow] = [await ask(row, undefined, leaver.headers), await ask(row)];
    await updateUser(hub.store.db, leaver.user.id, { status: "disabled" }, Date.now());
    const late = await decide(lead, ofLeaver);
    expect([late.status, late.body.error]).toEqual([
      409,
      expect.stringContaining("the user was disabled"),
    ]);
    await expectState(ofLeaver, "ended");
    await hub.admin.rows.disable(row);
    expect((await decide(lead, ofRow)).status).toBe(409);
    await expectState(ofRow, "ended");
  });

  test("A comment with an encrypted value of another user is refused", async () => {
    const token = sealToken();
    const answer = await decide(lead, asked, { decision: "denied", comment: `See ${token}` });
    await expectRefused(answer, 400, "encrypted value", asked);
  });
});

describe("what is shown", () => {
  test("Secrets are hidden, and characters that are not seen are named", async () => {
    const row = await addAskedRow();
    const token = sealToken();
    const long = "x".repeat(10_000);
    const asked = await ask(row, { params: { name: `a\u202e ${token} ${long}` } });
    expect(Object(asked.params).name).toBe(`a[U+202E] [hidden value] ${long}`);
    const [value] = asked.values as Array<{ value: string; is_cut: boolean }>;
    expect([value?.value.length, value?.is_cut]).toEqual([4096, true]);
    const { body } = await hub.request("GET", `${callsPath}?state=open&limit=1`, {
      headers: admin.browser,
    });
    expect(body.calls[0].values[0].value).toHaveLength(200);
  });

  test("Earlier calls of the same user and operation are listed by outcome and time", async () => {
    const row = await addAskedRow();
    const first = await ask(row);
    await decide(lead, first);
    await call(row);
    const next = await ask(row, { params: { name: "Bob" } });
    const { earlier } = (await show(lead, next.id)).body;
    expect(earlier).toEqual([
      { at: expect.any(String), status: "success", error_code: null },
      { at: expect.any(String), status: "denied", error_code: "approval_required" },
    ]);
  });

  test("Lists have for each user what that user may see and decide", async () => {
    const row = await addAskedRow();
    const asked = await ask(row);
    const list = async (by: Person, query: string) => {
      const { body } = await hub.request("GET", `${callsPath}?${query}`, { headers: by.browser });
      const ids: string[] = body.calls.map(({ id }: { id: string }) => id);
      return ids.includes(asked.id);
    };
    const stranger = await addPerson({ tags: ["red"] });
    expect(await list(lead, "decidable=true")).toBe(true);
    expect(await list(caller, "state=open")).toBe(true);
    expect(await list(caller, "mine=true")).toBe(false);
    expect(await list(admin, "state=open")).toBe(true);
    expect(await list(admin, "decidable=true")).toBe(false);
    expect(await list(stranger, "state=open")).toBe(false);
    const attention = await hub.request("GET", "/manager/api/attention", { headers: lead.browser });
    const paths = attention.body.items.map(({ path }: { path: string }) => path);
    expect(paths).toContain(`/approvals/calls/${asked.id}`);
  });
});

describe("permissions for an hour", () => {
  const hourly: CallRuleInput = { ...byLeads, hour: { allowed: true, fixed: ["name"] } };

  test("A permission in a row that its user no longer sees says nothing of the row", async () => {
    const row = await addAskedRow(hourly);
    const asked = await ask(row);
    expect((await decide(lead, asked, { hour: true })).status).toBe(200);
    await hub.admin.rows.set(row, { tags: ["blue"], label: "A private name" });
    const list = async (headers: Record<string, string>) => {
      const { body } = await hub.request("GET", "/manager/api/permits", { headers });
      const own = body.permits.find((one: { call_id: string }) => one.call_id === asked.id);
      return own;
    };
    expect((await list(admin.browser)).row_label).toBe("A private name");
    const { id, row_label: label } = await list(caller.browser);
    await hub.request("DELETE", `/manager/api/permits/${id}`, { headers: caller.browser });
    expect(label).toBeNull();
  });

  test("A permission covers calls with the fixed params, until it is ended", async () => {
    const row = await addAskedRow(hourly);
    const asked = await ask(row);
    expect((await show(lead, asked.id)).body.hour).toEqual({ fixed: ["name"] });
    expect((await decide(lead, asked, { hour: true })).status).toBe(200);
    expect((await call(row)).isError).toBe(false);
    expect((await call(row)).isError).toBe(false);
    expect((await call(row, { params: { name: "Bob" } })).answer.code).toBe("approval_required");
    const listed = await hub.request("GET", "/manager/api/permits", { headers: caller.browser });
    expect(listed.body.permits).toEqual([
      expect.objectContaining({
        user: caller.user.email,
        made_by: "test",
        operation: "greet",
        fixed: ["name"],
        granted_by: lead.user.email,
      }),
    ]);
    const [{ id }] = listed.body.permits;
    const path = `/manager/api/permits/${id}`;
    const stranger = await addPerson({ tags: ["red"] });
    expect((await hub.request("DELETE", path, { headers: stranger.browser })).status).toBe(404);
    expect((await hub.request("DELETE", path, { headers: caller.browser })).status).toBe(200);
    expect((await hub.request("DELETE", path, { headers: caller.browser })).status).toBe(404);
    const [change] = await hub.admin.changes.list({ action: "permit.end" });
    expect(change?.actor).toBe(caller.user.email);
    await runSql(hub.store.db, "update pending_calls set state = 'ended' where row_id = ?", row);
    expect((await call(row)).answer.code).toBe("approval_required");
  });

  test("A permission is refused where the rule allows none, and with a denial", async () => {
    const asked = await ask(await addAskedRow());
    expect((await show(lead, asked.id)).body.hour).toBeNull();
    await expectRefused(await decide(lead, asked, { hour: true }), 409, "for an hour", asked);
    const denied = await decide(lead, asked, { hour: true, decision: "denied" });
    await expectRefused(denied, 400, "permits nothing", asked);
  });

  test("A permission of another client of the user does not cover a call", async () => {
    const row = await addAskedRow(hourly);
    const asked = await ask(row);
    await decide(lead, asked, { hour: true });
    const token = await hub.addToken(caller.user.email, "mcp");
    expect((await call(row, undefined, token)).answer.code).toBe("approval_required");
    expect((await call(row)).isError).toBe(false);
  });
});

describe("deputies", () => {
  const name = (by: Person, { id }: Asked, deputy: string | null) =>
    hub.request("PUT", `${callsPath}/${id}/deputy`, { headers: by.browser, body: { deputy } });

  test("A deputy whom an approver names decides, and only as long as the approver may", async () => {
    const row = await addAskedRow();
    const deputy = await addPerson();
    const asked = await ask(row);
    expect((await show(deputy, asked.id)).status).toBe(404);
    expect((await name(lead, asked, deputy.user.email)).body.deputy).toBe(deputy.user.email);
    expect((await show(deputy, asked.id)).body.may_decide).toBe(true);
    expect((await decide(deputy, asked)).status).toBe(200);
    const absent = await addPerson({ tags: ["leads"] });
    const next = await ask(row, { params: { name: "Bob" } });
    await name(absent, next, deputy.user.email);
    await hub.admin.users.set(absent.user.id, { removeTags: ["leads"] });
    const answer = await decide(deputy, next);
    expect([answer.status, answer.body.error]).toEqual([
      403,
      expect.stringContaining("who named you"),
    ]);
  });

  test("The caller and a service user are no deputies, and neither a deputy nor an admin without the tag names one", async () => {
    const asked = await ask(await addAskedRow());
    expect((await name(lead, asked, caller.user.email)).status).toBe(400);
    expect((await name(admin, asked, lead.user.email)).status).toBe(403);
    const bot = { name: "deputy-bot", owner: lead.user.id };
    await addServiceUser(hub.hub.services, commandLineActor, bot);
    const refused = await name(lead, asked, "deputy-bot@service.invalid");
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining("is a service user"),
    ]);
    const deputy = await addPerson();
    await name(lead, asked, deputy.user.email);
    expect((await name(deputy, asked, deputy.user.email)).status).toBe(403);
    expect((await name(lead, asked, null)).body.deputy).toBeNull();
    expect((await show(deputy, asked.id)).status).toBe(404);
    const token = await hub.request("PUT", `${callsPath}/${asked.id}/deputy`, {
      headers: lead.headers,
      body: { deputy: deputy.user.email },
    });
    expect(token.status).toBe(403);
  });
});
