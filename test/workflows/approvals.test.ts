/**
 * Protects: only a named person decides an approval, once, in time, and about what was shown. Everybody else is
 * refused, and what runs afterwards is what was shown.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { Actor } from "@hub/server/changes/actor.ts";
import { commandLineActor, LOCAL_ADMIN_ID } from "@hub/server/identity/local-admin.ts";
import { listInvolved } from "@hub/server/operations/rules/list-involved.ts";
import { sealValue } from "@hub/server/secrets/value-tokens/value-tokens.ts";
import { addServiceUser } from "@hub/server/services/machines/manage-service-users.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { updateUser } from "@hub/server/store/users/users-table.ts";
import { decideApproval } from "@hub/server/workflows/approvals/decide-approval.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

const approvalsPath = "/manager/api/approvals";

let hub: WorkflowUsers;
/** Owns the workflows. Has no tag. */
let owner: Person;
/** The approver by tag. */
let boss: Person;
let stranger: Person;

/** A user with a token and a browser. */
type Person = WorkflowUser & { browser: Record<string, string> };

async function addPerson(given: { admin?: boolean; tags?: string[] } = {}): Promise<Person> {
  const user = await hub.addUser(given);
  return { ...user, browser: await hub.hub.openBrowser(user.user.id) };
}

/** What the outside system got. */
const sent: Array<{ path: string; key: string | null; body: unknown }> = [];
const failing = new Set<string>();
const outside = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    const { pathname: path } = new URL(req.url);
    if (failing.has(path)) return new Response(null, { status: 500 });
    const text = await req.text();
    const body = text === "" ? null : JSON.parse(text);
    sent.push({ path, key: req.headers.get("x-key"), body });
    return Response.json({ number: 7 });
  },
});

beforeAll(async () => {
  hub = await openWorkflowUsers({
    HUB_WORKFLOW_HTTP: "users",
    HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${outside.port}`,
  });
  owner = await addPerson();
  boss = await addPerson({ tags: ["bosses"] });
  stranger = await addPerson();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await outside.stop(true);
});

type Approval = { title?: string; details?: string; approvers?: object; self?: boolean };

/** Asks, and sets a value named after the answer. */
const bodyOf = (approval: Approval = {}, more: WorkflowBodyInput = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "ask" }],
  nodes: [
    {
      id: "ask",
      type: "approval",
      title: "Send {{.Event.Payload.what}}?",
      approvers: { tags: ["bosses"] },
      ...approval,
    },
    { id: "yes", type: "set", value: "{{.Node.ask}}" },
    { id: "no", type: "set", value: "no" },
    { id: "late", type: "set", value: "late" },
  ],
  edges: [
    { from: "ask", to: "yes", case: "approved" },
    { from: "ask", to: "no", case: "denied" },
    { from: "ask", to: "late", case: "expired" },
  ],
  ...more,
});

/** Starts a run of the workflow, and returns it when it asks. */
async function ask(workflow: string, by: WorkflowUser = owner, given: object = {}) {
  const { run_id: run } = await hub.ask(by, "POST", `${workflowsPath}/${workflow}/runs`, {
    payload: { what: "it" },
    ...given,
  });
  return await findAsked(workflow, run);
}

async function findAsked(workflow: string, run: string) {
  await hub.awaitRun(workflow, run, /waiting|failed/);
  const { approvals } = await hub.ask(hub.admin, "GET", `${approvalsPath}?run=${run}`);
  const shown = await hub.ask(hub.admin, "GET", `${approvalsPath}/${approvals[0].id}`);
  return { workflow, run, ...shown };
}

type Asked = Awaited<ReturnType<typeof ask>>;

const decide = (by: Person, asked: Asked, more: object = {}) => decideWith(by.browser, asked, more);

const decideWith = (headers: Record<string, string>, { id, hash }: Asked, more: object = {}) =>
  hub.hub.request("POST", `${approvalsPath}/${id}/decide`, {
    headers,
    body: { decision: "approved", hash, ...more },
  });

/** Calls a tool over MCP as a model of the user would. */
const callTool = (by: Person, name: string, given: object) =>
  fetch(`${hub.hub.url}/mcp`, {
    method: "POST",
    headers: { ...by.headers, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: given },
    }),
  });

/** It has no decision. */
async function expectPending({ id }: Asked) {
  const { state } = await hub.ask(hub.admin, "GET", `${approvalsPath}/${id}`);
  expect(state).toBe("pending");
}

test("A run asks, waits without a process, and goes on along approved with who decided", async () => {
  const workflow = await hub.publish(owner, bodyOf());
  const asked = await ask(workflow);
  expect(asked).toMatchObject({
    title: "Send it?",
    state: "pending",
    node_id: "ask",
    version: 1,
    self: false,
    started_by: owner.user.email,
    edited_by: [owner.user.email],
    will_run: [],
    approvers: { tags: ["bosses"], users: [] },
    decided_by: null,
  });
  const waiting = await hub.awaitRun(workflow, asked.run, /waiting/);
  expect(waiting.waiting_for).toMatchObject({ kind: "approval", node_ids: ["ask"] });
  const decided = await decide(boss, asked, { comment: "Fine." });
  expect(decided.body).toMatchObject({ state: "approved", decided_by: boss.user.email });
  const run = await hub.awaitRun(workflow, asked.run);
  const { output } = run.steps.find(({ node_id }: { node_id: string }) => node_id === "yes");
  expect(output).toEqual({ by: boss.user.email, at: expect.any(String), comment: "Fine." });
});

test("An approver is told whether the workflow and its runs exist for the approver", async () => {
  const seen = async (by: Person, { workflow, id, run }: Asked) => {
    const shown = await hub.ask(by, "GET", `${approvalsPath}/${id}`);
    const path = `${workflowsPath}/${workflow}/runs/${run}`;
    const { status } = await hub.hub.request("GET", path, { headers: by.headers });
    return [shown.sees_workflow, status];
  };
  const hidden = await ask(await hub.publish(owner, bodyOf()));
  expect(await seen(boss, hidden)).toEqual([false, 404]);
  expect(await seen(owner, hidden)).toEqual([true, 200]);
  expect((await decide(boss, hidden)).body).toMatchObject({ sees_workflow: false });
  const workflow = await hub.publish(owner, bodyOf());
  await hub.ask(hub.admin, "PUT", `${workflowsPath}/${workflow}/tags`, { tags: ["bosses"] });
  const offered = await ask(workflow);
  expect(await seen(boss, offered)).toEqual([true, 200]);
  expect((await decide(boss, offered)).body).toMatchObject({ sees_workflow: true });
});

describe("deny and expire", () => {
  test("A denial goes on along denied", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const asked = await ask(workflow);
    expect((await decide(boss, asked, { decision: "denied" })).body.state).toBe("denied");
    expect((await hub.awaitRun(workflow, asked.run)).steps.at(-1).node_id).toBe("no");
  });

  test("An approval that was not decided in time goes on along expired and cannot be decided any more", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const asked = await ask(workflow);
    await runSql(
      hub.hub.store.db,
      "update workflow_approvals set expires_at = ? where id = ?",
      Date.now() - 1,
      asked.id,
    );
    const late = await decide(boss, asked);
    expect([late.status, late.body.code]).toEqual([409, "conflict"]);
    expect(late.body.error).toContain("It expired at");
    await runSql(
      hub.hub.store.db,
      "update workflow_steps set wake_at = 1 where run_id = ?",
      asked.run,
    );
    await runSql(hub.hub.store.db, "update workflow_runs set due_at = 1 where id = ?", asked.run);
    expect((await hub.awaitRun(workflow, asked.run)).steps.at(-1).node_id).toBe("late");
    const { state, may_decide, refusal } = await hub.ask(
      boss,
      "GET",
      `${approvalsPath}/${asked.id}`,
    );
    expect({ state, may_decide }).toEqual({ state: "expired", may_decide: false });
    expect(refusal).toContain("It expired at");
  });
});

describe("who may not decide", () => {
  let workflow: string;
  let asked: Asked;
  beforeAll(async () => {
    workflow = await hub.publish(owner, bodyOf());
    asked = await ask(workflow);
  });
  const expectRefused = async (
    answer: { status: number; body: { code: string; error: string } },
    status: number,
    part: string,
    of = asked,
  ) => {
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(part)]);
    await expectPending(of);
  };

  test("A manage token of an approver is refused", async () => {
    await expectRefused(await decideWith(boss.headers, asked), 403, "A token cannot decide");
  });

  test("An mcp token of an approver is refused", async () => {
    const token = await hub.hub.addToken(boss.user.email, "mcp");
    await expectRefused(await decideWith(token, asked), 403, "valid for MCP only");
  });

  test("A token of an application of an approver is refused", async () => {
    const token = await hub.hub.addApplicationToken(boss.user.id);
    await expectRefused(await decideWith(token, asked), 403, "valid for MCP only");
  });

  test("The browser of an approver without its CSRF token is refused", async () => {
    const { cookie = "" } = boss.browser;
    await expectRefused(await decideWith({ cookie }, asked), 403, "X-CSRF-Token");
  });

  test("The CSRF token of another session is refused", async () => {
    const { "x-csrf-token": other = "" } = stranger.browser;
    const headers = { ...boss.browser, "x-csrf-token": other };
    await expectRefused(await decideWith(headers, asked), 403, "X-CSRF-Token");
  });

  test("The browser of an approver on a page of another site is refused", async () => {
    const headers = { ...boss.browser, origin: "https://evil.example" };
    const answer = await decideWith(headers, asked);
    expect(answer.status).toBe(403);
    await expectPending(asked);
  });

  test("The owner of the workflow is refused unless named", async () => {
    await expectRefused(await decide(owner, asked), 403, "not one of the approvers");
  });

  test("An admin is refused unless named", async () => {
    const admin = await addPerson({ admin: true });
    await expectRefused(await decide(admin, asked), 403, "not one of the approvers");
  });

  test("An approval of others answers like one that does not exist", async () => {
    const absent = { ...asked, id: crypto.randomUUID() };
    const hidden = await decide(stranger, asked);
    expect(hidden.status).toBe(404);
    expect(hidden.body).toEqual((await decide(stranger, absent)).body);
    const read = async ({ id }: Asked) =>
      (await hub.hub.request("GET", `${approvalsPath}/${id}`, { headers: stranger.browser })).body;
    expect(await read(asked)).toEqual(await read(absent));
    const { approvals } = await hub.ask(stranger, "GET", approvalsPath);
    expect(approvals).toEqual([]);
    await expectPending(asked);
  });

  test("The approver who started the run by hand is refused", async () => {
    const other = await hub.publish(owner, bodyOf(), { tags: ["bosses"] });
    const own = await ask(other, boss);
    await expectRefused(await decide(boss, own), 403, "You started this run", own);
  });

  test("The approver who started the run over MCP is refused", async () => {
    const other = await hub.publish(owner, bodyOf(), { tags: ["bosses"] });
    const rows = await hub.ask(hub.admin, "GET", "/manager/api/rows?connector=workflow");
    const tool_id = `conn:${rows.rows[0].id}/workflow_run_now`;
    await callTool(boss, "hub_execute", {
      tool_id,
      params: { workflow_id: other, payload: { what: "x" } },
    });
    const { runs } = await hub.ask(owner, "GET", `${workflowsPath}/${other}/runs`);
    const own = await findAsked(other, runs[0].id);
    await expectRefused(await decide(boss, own), 403, "You started this run", own);
  });

  test("The approver who started the run is refused after another user has replayed it", async () => {
    const other = await hub.publish(owner, bodyOf(), { tags: ["bosses"] });
    const own = await ask(other, boss);
    const path = `${workflowsPath}/${other}/runs/${own.run}/replay`;
    const { run_id: again } = await hub.ask(owner, "POST", path, {});
    const replayed = await findAsked(other, again);
    await expectRefused(await decide(boss, replayed), 403, "You started this run", replayed);
  });

  test("The approver who replayed the run is refused", async () => {
    const lead = await addPerson({ tags: ["bosses"], admin: true });
    const own = await ask(workflow);
    const path = `${workflowsPath}/${workflow}/runs/${own.run}/replay`;
    const { run_id: again } = await hub.ask(lead, "POST", path, {});
    const replayed = await findAsked(workflow, again);
    await expectRefused(await decide(lead, replayed), 403, "You started this run", replayed);
    expect((await decide(lead, own)).status).toBe(200);
  });

  test("The approver who started a workflow that starts the run is refused", async () => {
    const parent = await hub.publish(
      owner,
      {
        triggers: [{ id: "start", type: "manual", entry: "go" }],
        nodes: [{ id: "go", type: "workflow", workflow_id: workflow, payload: { what: "x" } }],
      },
      { tags: ["bosses"] },
    );
    const { run_id } = await hub.ask(boss, "POST", `${workflowsPath}/${parent}/runs`, {});
    const { steps } = await hub.awaitRun(parent, run_id, /waiting/);
    const own = await findAsked(workflow, steps[0].child_run_id);
    await expectRefused(await decide(boss, own), 403, "You started this run", own);
  });

  test("The approver who edited a workflow that starts the run is refused", async () => {
    const lead = await addPerson({ tags: ["bosses"] });
    const child = await hub.publish(owner, bodyOf(), { tags: ["bosses"] });
    const parent = await hub.publish(lead, {
      triggers: [{ id: "start", type: "manual", entry: "go" }],
      nodes: [{ id: "go", type: "workflow", workflow_id: child, payload: { what: "x" } }],
    });
    const path = `${workflowsPath}/${parent}/runs`;
    const { run_id } = await hub.ask(hub.admin, "POST", path, {});
    const { steps } = await hub.awaitRun(parent, run_id, /waiting/);
    const own = await findAsked(child, steps[0].child_run_id);
    await expectRefused(await decide(lead, own), 403, "You started this run", own);
    expect((await decide(boss, own)).status).toBe(200);
  });

  test("The approver who saved the draft that runs is refused, and may decide runs of what another user published", async () => {
    const lead = await addPerson({ tags: ["bosses"], admin: true });
    const other = await hub.publish(owner, bodyOf());
    const draft = { revision: 1, body: bodyOf({ title: "Other?" }) };
    await hub.ask(lead, "PUT", `${workflowsPath}/${other}/draft`, draft);
    const own = await ask(other, owner, { draft: true });
    await expectRefused(await decide(lead, own), 403, "You saved or published", own);
    expect((await decide(lead, await ask(other))).status).toBe(200);
  });

  test("The approver who published what runs is refused, and so is the one who saved it", async () => {
    const saver = await addPerson({ tags: ["bosses"], admin: true });
    const publisher = await addPerson({ tags: ["bosses"], admin: true });
    const other = await hub.publish(owner, bodyOf());
    const path = `${workflowsPath}/${other}`;
    await hub.ask(saver, "PUT", `${path}/draft`, { revision: 1, body: bodyOf({ title: "B?" }) });
    await hub.ask(publisher, "POST", `${path}/publish`, { revision: 2 });
    const own = await ask(other);
    expect(own.edited_by.toSorted()).toEqual([saver.user.email, publisher.user.email].toSorted());
    await expectRefused(await decide(saver, own), 403, "You saved or published", own);
    await expectRefused(await decide(publisher, own), 403, "You saved or published", own);
    expect((await decide(boss, own)).status).toBe(200);
  });

  test("The owner of a service user who wrote or started what runs is refused, like the writer", async () => {
    const lead = await addPerson({ tags: ["bosses"] });
    const { services } = hub.hub.hub;
    const robot = await addServiceUser(services, commandLineActor, {
      name: "release-bot",
      owner: lead.user.id,
    });
    const other = await hub.publish(owner, bodyOf());
    const bodies = "(select id from workflow_bodies where workflow_id = ?)";
    const write = `update workflow_body_editors set user_id = ? where body_id in ${bodies}`;
    await runSql(hub.hub.store.db, write, robot.id, other);
    const own = await ask(other);
    await expectRefused(await decide(lead, own), 403, "or a service user of yours did", own);
    expect((await decide(boss, own)).status).toBe(200);
    const run = { id: "r", workflowId: workflow, bodyId: "b", parentRunId: null, startedBy: "" };
    const starterIds = JSON.stringify([robot.id]);
    expect(await listInvolved(hub.hub.store.db, { ...run, starterIds })).toEqual({
      starterIds: [robot.id, lead.user.id],
      editorIds: [],
    });
  });

  test("Who started a run on a server of the version before is known by the e-mail", async () => {
    const run = { id: "r", workflowId: workflow, bodyId: "b", parentRunId: null, starterIds: null };
    const { db } = hub.hub.store;
    const startersOf = async (startedBy: string) =>
      (await listInvolved(db, { ...run, startedBy })).starterIds;
    expect(await startersOf(boss.user.email)).toEqual([boss.user.id]);
    expect(await startersOf("local-admin")).toEqual([LOCAL_ADMIN_ID]);
    expect(await startersOf("webhook orders")).toEqual([]);
  });

  test("The approver who restored the version that runs is refused", async () => {
    const lead = await addPerson({ tags: ["bosses"], admin: true });
    const other = await hub.publish(owner, bodyOf());
    const path = `${workflowsPath}/${other}`;
    await hub.ask(lead, "POST", `${path}/versions/1/restore`, { revision: 1 });
    const own = await ask(other, owner, { draft: true });
    await expectRefused(await decide(lead, own), 403, "You saved or published", own);
  });

  test("The approver who imported the body that runs is refused, and so is one whose model saved it", async () => {
    const lead = await addPerson({ tags: ["bosses"] });
    const exported = await hub.ask(owner, "GET", `${workflowsPath}/${workflow}/export`);
    const { id: imported } = await hub.ask(lead, "POST", `${workflowsPath}/import`, exported);
    const path = `${workflowsPath}/${imported}`;
    const { draft } = await hub.ask(lead, "GET", path);
    await hub.ask(hub.admin, "POST", `${path}/publish`, { revision: draft.revision });
    const own = await ask(imported, hub.admin);
    await expectRefused(await decide(lead, own), 403, "You saved or published", own);
    expect((await decide(boss, own)).status).toBe(200);
    const rows = await hub.ask(hub.admin, "GET", "/manager/api/rows?connector=workflow");
    const params = { workflow_id: imported, revision: draft.revision, body: bodyOf({}) };
    const tool_id = `conn:${rows.rows[0].id}/workflow_save`;
    await callTool(lead, "hub_execute", { tool_id, params });
    const saved = await ask(imported, hub.admin, { draft: true });
    await expectRefused(await decide(lead, saved), 403, "You saved or published", saved);
  });

  test("An approver who lost the tag since the approval was shown is refused", async () => {
    const late = await addPerson({ tags: ["bosses"] });
    const own = await ask(workflow);
    expect((await hub.ask(late, "GET", `${approvalsPath}/${own.id}`)).may_decide).toBeTrue();
    await hub.hub.admin.users.set(late.user.id, { tags: [] });
    await expectRefused(await decide(late, own), 404, "no such approval", own);
  });

  test("An approver who was disabled since the approval was shown is refused", async () => {
    const late = await addPerson({ tags: ["bosses"] });
    const own = await ask(workflow);
    await updateUser(hub.hub.store.db, late.user.id, { status: "disabled" }, Date.now());
    await expectRefused(await decide(late, own), 401, "Sign in", own);
  });

  test("Another account that gets the e-mail of a named approver is refused, and so is the first one", async () => {
    const named = await addPerson();
    const other = await addPerson();
    const emails = await hub.publish(owner, bodyOf({ approvers: { users: [named.user.email] } }));
    const own = await ask(emails);
    expect((await hub.ask(named, "GET", `${approvalsPath}/${own.id}`)).may_decide).toBeTrue();
    const setEmail = (user: Person, email: string) =>
      runSql(hub.hub.store.db, "update users set email = ? where id = ?", email, user.user.id);
    await setEmail(named, `left-${named.user.email}`);
    await setEmail(other, named.user.email);
    await expectRefused(await decide(other, own), 404, "no such approval", own);
    await expectRefused(await decide(named, own), 404, "no such approval", own);
  });
});

describe("doors", () => {
  const actAs = ({ user }: Person, via: Actor["via"], given: Partial<Actor> = {}) => ({
    userId: user.id,
    email: user.email,
    tokenId: null,
    via,
    ip: null,
    ...given,
  });
  const decideBy = async (actor: Actor, { id, hash }: Asked, more: object = {}) => {
    const given = { id, hash, decision: "approved" as const, ...more };
    return await decideApproval(hub.hub.hub.services, actor, given).then(
      ({ state }) => state,
      ({ code }) => code,
    );
  };
  let workflow: string;
  beforeAll(async () => {
    workflow = await hub.publish(owner, bodyOf());
  });

  test("The shared function of all entry points refuses tokens, and callers without a user", async () => {
    const asked = await ask(workflow);
    expect(await decideBy(actAs(boss, "token", { tokenId: "t1" }), asked)).toBe("forbidden");
    expect(await decideBy(actAs(boss, "session", { tokenId: "t1" }), asked)).toBe("forbidden");
    expect(await decideBy(actAs(boss, "mcp" as Actor["via"]), asked)).toBe("forbidden");
    expect(await decideBy(actAs(boss, "session", { userId: LOCAL_ADMIN_ID }), asked)).toBe(
      "not_found",
    );
    await expectPending(asked);
  });

  test("A chat account that is linked to no user, to a disabled one or to another one decides nothing", async () => {
    const asked = await ask(workflow);
    const gone = await addPerson({ tags: ["bosses"] });
    await updateUser(hub.hub.store.db, gone.user.id, { status: "disabled" }, Date.now());
    const pending = await addPerson({ tags: ["bosses"] });
    await updateUser(hub.hub.store.db, pending.user.id, { status: "pending" }, Date.now());
    const unlinked = actAs(boss, "chat", { userId: crypto.randomUUID() });
    expect(await decideBy(unlinked, asked)).toBe("not_found");
    expect(await decideBy(actAs(gone, "chat"), asked)).toBe("not_found");
    expect(await decideBy(actAs(pending, "chat"), asked)).toBe("not_found");
    expect(await decideBy(actAs(stranger, "chat"), asked)).toBe("not_found");
    expect(await decideBy(actAs(owner, "chat"), asked)).toBe("forbidden");
    expect(await decideBy(actAs(boss, "chat", { userId: LOCAL_ADMIN_ID }), asked)).toBe(
      "not_found",
    );
    await expectPending(asked);
    expect(await decideBy(actAs(boss, "chat"), asked)).toBe("approved");
  });

  test("A decision wakes the servers for the run at once, and one that is refused does not", async () => {
    const asked = await ask(workflow);
    const woken: unknown[] = [];
    const { services } = hub.hub.hub;
    const workflows = await services.openWorkflows();
    const engine = { ...workflows.engine, wake: (mark: unknown) => woken.push(mark) };
    const deps = { ...services, openWorkflows: async () => ({ ...workflows, engine }) };
    const given = { id: asked.id, hash: asked.hash, decision: "denied" as const };
    await decideApproval(deps, actAs(owner, "session"), given).catch(() => {});
    expect(woken).toEqual([]);
    await decideApproval(deps, actAs(boss, "session"), given);
    expect(woken).toEqual([{ runId: asked.run, dueAt: expect.any(Number) }]);
  });

  test("No operation that models are offered decides an approval", async () => {
    const registry = hub.hub.hub.services.registry;
    const found = registry
      .list()
      .flatMap(({ operations }) => [...operations.values()])
      .filter(({ key }) => /appro|decide|deny/.test(key));
    expect(found.filter(({ destructive }) => destructive)).toEqual([]);
  });

  test("A comment with an encrypted value of the owner is refused, and so is a long one", async () => {
    const asked = await ask(workflow);
    const ring = hub.hub.hub.services.ring.current();
    const token = sealValue(ring, { userId: owner.user.id, rowId: null }, "of the owner");
    expect((await decide(boss, asked, { comment: `Use ${token}` })).status).toBe(400);
    expect((await decide(boss, asked, { comment: "x".repeat(2001) })).status).toBe(400);
    await expectPending(asked);
  });

  test("Cancelling the run ends its approval, which cannot be decided any more", async () => {
    const asked = await ask(workflow);
    await hub.ask(owner, "POST", `${workflowsPath}/${workflow}/runs/${asked.run}/cancel`);
    const answer = await decide(boss, asked);
    expect([answer.status, answer.body.error]).toEqual([
      409,
      expect.stringContaining("Its run has ended"),
    ]);
    const { state } = await hub.ask(boss, "GET", `${approvalsPath}/${asked.id}`);
    expect(state).toBe("cancelled");
  });

  test("The approvals of a deleted workflow do not exist", async () => {
    const deleted = await hub.publish(owner, bodyOf());
    const asked = await ask(deleted);
    await hub.ask(owner, "DELETE", `${workflowsPath}/${deleted}`);
    expect((await decide(boss, asked)).status).toBe(404);
    const { approvals } = await hub.ask(boss, "GET", `${approvalsPath}?mine=true&limit=1000`);
    expect(approvals.map(({ id }: { id: string }) => id)).not.toContain(asked.id);
  });
});

test("A draft whose approvers match no active user gets a warning", async () => {
  const problemsOf = async (approvers: object) => {
    const body = bodyOf({ approvers });
    const path = `${workflowsPath}/validate`;
    const { problems } = await hub.ask(owner, "POST", path, { body });
    return problems.map(({ message }: { message: string }) => message);
  };
  const nobody = "No active user can decide this approval now.";
  const left = await hub.hub.addUser("left@example.com", { status: "disabled", tags: ["left"] });
  expect(await problemsOf({ tags: ["left"], users: [left.user.email] })).toContain(nobody);
  expect(await problemsOf({ tags: ["bosses"] })).not.toContain(nobody);
  expect(await problemsOf({ tags: ["everyone"] })).not.toContain(nobody);
  expect(await problemsOf({ users: [boss.user.email.toUpperCase()] })).not.toContain(nobody);
});

describe("what is decided", () => {
  test("A second decision is refused and changes nothing", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const asked = await ask(workflow);
    await decide(boss, asked, { decision: "denied" });
    const second = await decide(boss, asked);
    expect([second.status, second.body.error]).toEqual([
      409,
      expect.stringContaining(`${boss.user.email} has denied it already`),
    ]);
    expect((await hub.awaitRun(workflow, asked.run)).steps.at(-1).node_id).toBe("no");
  });

  test("Of two decisions at once, one counts", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const other = await addPerson({ tags: ["bosses"] });
    const asked = await ask(workflow);
    const answers = await Promise.all([
      decide(boss, asked),
      decide(other, asked, { decision: "denied" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("A decision on something else than what was shown is refused", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const asked = await ask(workflow);
    const answer = await decide(boss, { ...asked, hash: "another" });
    expect([answer.status, answer.body.hash]).toEqual([409, asked.hash]);
    await expectPending(asked);
  });

  test("With self: true, an approver who started and edited may decide; who is none may not", async () => {
    const body = bodyOf({ self: true, approvers: { users: [boss.user.email] } });
    const own = await hub.publish(boss, body);
    const first = await ask(own, boss);
    expect((await decide(owner, first)).status).toBe(404);
    expect((await decide(boss, first)).status).toBe(200);
    const others = await hub.publish(owner, body);
    expect((await decide(owner, await ask(others))).status).toBe(403);
  });

  test("Each decision is in the record of changes", async () => {
    const workflow = await hub.publish(owner, bodyOf());
    const asked = await ask(workflow);
    await decide(boss, asked);
    const path = `/admin/api/changes?target_id=${workflow}&limit=1`;
    const { changes } = await hub.ask(hub.admin, "GET", path);
    expect(changes[0]).toMatchObject({
      action: "workflow.approve",
      actor: boss.user.email,
      via: "session",
      detail: { approval: asked.id, run: asked.run, node: "ask", title: "Send it?" },
    });
  });
});

describe("what will run", () => {
  const post = (id: string, more: object = {}) => ({
    id,
    type: "http" as const,
    method: "POST" as "POST" | "GET",
    url: `http://127.0.0.1:${outside.port}/${id}`,
    ...more,
  });
  /** Asks, and then posts one after the other. */
  const postingBody = (
    posts: ReturnType<typeof post>[],
    {
      asks = {},
      more = [],
    }: { asks?: Approval; more?: NonNullable<WorkflowBodyInput["nodes"]> } = {},
  ): WorkflowBodyInput => {
    const ids = ["ask", ...posts.map(({ id }) => id)];
    return {
      triggers: [{ id: "start", type: "manual", entry: "ask" }],
      nodes: [
        {
          id: "ask",
          type: "approval",
          title: "Post it?",
          approvers: { tags: ["bosses"] },
          ...asks,
        },
        ...posts,
        ...more,
      ],
      edges: [
        ...posts.map(({ id }, at) => ({
          from: ids[at] ?? "",
          to: id,
          ...(at === 0 && { case: "approved" }),
        })),
        ...more.map(({ id }) => ({ from: "ask", to: id, case: "denied" })),
      ],
    };
  };
  const sentTo = (id: string) => sent.filter(({ path }) => path === `/${id}`);
  const stepOf = async (workflow: string, { run }: Asked, node: string) => {
    const { steps } = await hub.awaitRun(workflow, run);
    return steps.find(({ node_id }: { node_id: string }) => node_id === node);
  };

  test("The approver sees what follows on approved and changes something, rendered, and that is what runs", async () => {
    const key = `secret-${crypto.randomUUID()}`;
    const posts = [
      post("order", {
        headers: { "X-Key": "{{.Secret.KEY}}" },
        body: { what: "{{.Event.Payload.what}}" },
      }),
      { ...post("look"), method: "GET" as const },
      post("bill", { body: { order: "{{.Node.order.body.number}}" } }),
      post("note", { body: { said: "{{.Node.ask.comment}}" } }),
      post("clock", { body: { at: "{{now}}" } }),
    ];
    const body = postingBody(posts, {
      asks: { details: "With the key {{.Secret.KEY}}." },
      more: [post("refund", { body: {} })],
    });
    const workflow = await hub.publish(owner, body, { secrets: { KEY: key } });
    const asked = await ask(workflow);
    expect(asked.details).toBe("With the key [secret].");
    const noNames = {
      row_label: null,
      connector_key: null,
      connector_name: null,
      operation_name: null,
      operation_description: null,
      target_name: `127.0.0.1:${outside.port}`,
      destructive: false,
    };
    const node = { is_cut: false, items: null, problem: null, type: "http", target: "POST" };
    const known = { ...node, ...noNames };
    const url = (id: string) => `http://127.0.0.1:${outside.port}/${id}`;
    expect(asked.will_run).toEqual([
      {
        ...known,
        node_id: "order",
        label: null,
        is_rendered: true,
        depends_on: [],
        uses_time: false,
        fields: {
          url: url("order"),
          headers: { "X-Key": "[secret]" },
          query: {},
          body: { what: "it" },
        },
      },
      expect.objectContaining({
        ...known,
        node_id: "bill",
        is_rendered: false,
        depends_on: ["order"],
        fields: {
          url: url("bill"),
          headers: {},
          query: {},
          body: { order: "{{.Node.order.body.number}}" },
        },
      }),
      expect.objectContaining({ node_id: "note", is_rendered: false, depends_on: ["ask"] }),
      expect.objectContaining({ node_id: "clock", is_rendered: false, uses_time: true }),
    ]);
    await decide(boss, asked, { comment: "Go on" });
    expect((await hub.awaitRun(workflow, asked.run)).error).toBeNull();
    expect(sentTo("order")).toEqual([{ path: "/order", key, body: { what: "it" } }]);
    expect(sentTo("bill").map(({ body: got }) => got)).toEqual([{ order: 7 }]);
    expect(sentTo("note").map(({ body: got }) => got)).toEqual([{ said: "Go on" }]);
    expect(sentTo("refund")).toEqual([]);
  });

  test("Neither a secret nor an encrypted value is stored with an approval or shown to approvers", async () => {
    const key = `secret-${crypto.randomUUID()}`;
    const body = postingBody(
      [post("hidden", { body: { plain: `Key ${key}`, k: "{{.Secret.KEY}}" } })],
      {
        asks: { title: "{{.Secret.KEY}} {{.Event.Payload.what}}", details: `A ${key}` },
      },
    );
    const workflow = await hub.publish(owner, body, { secrets: { KEY: key } });
    const asked = await ask(workflow, owner, { payload: { what: key } });
    expect(asked).toMatchObject({ title: "[secret] [secret]", details: "A [secret]" });
    expect(asked.will_run[0].fields.body).toEqual({ plain: "Key [secret]", k: "[secret]" });
    const stored = JSON.stringify(
      await runSql(hub.hub.store.db, "select * from workflow_approvals where id = ?", asked.id),
    );
    expect(stored).not.toContain(key);
    expect(stored).not.toContain("hub_enc_");
  });

  /** A row that its owner sees, and the approver does not. */
  async function addHiddenRow(label: string) {
    const tag = `of-${label.toLowerCase()}`;
    const author = await addPerson({ tags: [tag] });
    const values = { base_url: `http://127.0.0.1:${outside.port}` };
    const given = { connector: "http", label, tags: [tag], values };
    const { id } = await hub.hub.admin.rows.add(given);
    return { author, toolId: `conn:${id}/post` };
  }

  test("An approver learns the row, the operation and the values that decide; who sees neither does not", async () => {
    const { author, toolId } = await addHiddenRow("Warehouse");
    const node = { id: "order", type: "operation" as const, tool_id: toolId };
    const params = { path: "/orders", body: "{{.Event.Payload.what}}" };
    const made: WorkflowBodyInput = {
      ...postingBody([]),
      edges: [{ from: "ask", to: "order", case: "approved" }],
    };
    const [question] = made.nodes ?? [];
    const nodes = [question, { ...node, params }] as typeof made.nodes;
    const workflow = await hub.publish(author, { ...made, nodes });
    const asked = await ask(workflow, author);
    const find = async (by: Person) => {
      const { approvals } = await hub.ask(by, "GET", `${approvalsPath}?run=${asked.run}`);
      const shown = await hub.ask(by, "GET", `${approvalsPath}/${asked.id}`);
      return { listed: approvals[0], shown };
    };
    const subject = {
      row_label: "Warehouse",
      connector_key: "http",
      connector_name: expect.any(String),
      operation_name: expect.any(String),
      destructive: true,
    };
    const values = expect.arrayContaining([
      { label: "path", value: "/orders", is_cut: false },
      { label: "body", value: "it", is_cut: false },
    ]);
    for (const by of [boss, author]) {
      const { listed, shown } = await find(by);
      expect(listed).toMatchObject({ subject, values });
      expect(shown).toMatchObject({ subject, values, will_run: [{ ...subject, target: toolId }] });
      expect(shown.will_run[0].operation_description).toEqual(expect.any(String));
    }
    // Who gets the workflow need not see its rows.
    const heir = await addPerson();
    await hub.giveAway(workflow, author, heir);
    const { listed, shown } = await find(heir);
    expect([listed.subject, shown.subject, shown.will_run[0].row_label]).toEqual([
      null,
      null,
      null,
    ]);
    expect(JSON.stringify([listed, shown])).not.toContain("Warehouse");
  });

  test("The values that the author names are rendered once, sealed, and a part of what is decided on", async () => {
    const key = `secret-${crypto.randomUUID()}`;
    const values = [
      { label: "What\u202E", value: "{{.Event.Payload.what}}" },
      { label: "Key", value: `{{.Secret.KEY}} ${key}` },
      { label: "List", value: "{{.Event.Payload.list}}" },
      { label: "Large", value: "{{.Event.Payload.large}}" },
    ];
    const asks = { values } as Approval;
    const body = postingBody([post("named", { body: { other: 1 } })], { asks });
    const workflow = await hub.publish(owner, body, { secrets: { KEY: key } });
    const payload = { what: "it", list: [1, "b"], large: "x".repeat(1024 * 1024) };
    const asked = await ask(workflow, owner, { payload });
    expect(asked.values.slice(0, 3)).toEqual([
      { label: "What\\u202e", value: "it", is_cut: false },
      { label: "Key", value: "[secret] [secret]", is_cut: false },
      { label: "List", value: '[1,"b"]', is_cut: false },
    ]);
    const [, , , large] = asked.values;
    expect([large.value.length > 4_000, large.value.length < 4_096, large.is_cut]).toEqual([
      true,
      true,
      true,
    ]);
    const { approvals } = await hub.ask(boss, "GET", `${approvalsPath}?run=${asked.run}`);
    expect(approvals[0].values[3]).toEqual({
      label: "Large",
      value: "x".repeat(200),
      is_cut: true,
    });
    const stored = JSON.stringify(
      await runSql(hub.hub.store.db, "select * from workflow_approvals where id = ?", asked.id),
    );
    expect(stored).not.toContain(key);
    const other = await ask(workflow, owner, { payload: { ...payload, what: "that" } });
    expect(other.will_run).toEqual(asked.will_run);
    expect(other.hash).not.toBe(asked.hash);
    expect((await decide(boss, { ...asked, hash: other.hash })).status).toBe(409);
    expect((await decide(boss, asked)).status).toBe(200);
  });

  test("An approval that the version before has made is read and decided by its own hash", async () => {
    const workflow = await hub.publish(owner, postingBody([post("older", { body: {} })]));
    const asked = await ask(workflow);
    const [now] = asked.will_run;
    const names = /^(?:row_label|connector_|operation_|target_name|destructive)/;
    const older = Object.fromEntries(Object.entries(now).filter(([key]) => !names.test(key)));
    const willRun = JSON.stringify({ shown: [older], more: 0 });
    await runSql(
      hub.hub.store.db,
      "update workflow_approvals set summary = null, will_run = ?, hash = 'of-before' where id = ?",
      willRun,
      asked.id,
    );
    const { approvals } = await hub.ask(boss, "GET", `${approvalsPath}?run=${asked.run}`);
    expect(approvals).toMatchObject([{ values: [], subject: null, may_decide: true }]);
    const shown = await hub.ask(boss, "GET", `${approvalsPath}/${asked.id}`);
    const subject = { row_label: null, target_name: null };
    expect(shown).toMatchObject({ values: [], will_run: [{ ...now, ...subject }], subject });
    expect((await decide(boss, shown)).body).toMatchObject({ state: "approved" });
    await hub.awaitRun(workflow, asked.run);
    expect(sentTo("older")).toHaveLength(1);
  });

  test("The approvals that a caller may decide now are one list, with their number", async () => {
    const lead = await addPerson({ tags: ["leads"] });
    const of = { approvers: { tags: ["leads"] } };
    const workflow = await hub.publish(owner, bodyOf(of));
    const [first, second] = [await ask(workflow), await ask(workflow)];
    // The lead saved it.
    await ask(await hub.publish(lead, bodyOf(of)), lead);
    const read = async (query: string) => {
      const found = await hub.ask(lead, "GET", `${approvalsPath}?${query}`);
      return [found.approvals.map(({ id }: Asked) => id), found.waiting_total, found.next !== null];
    };
    expect(await read("may_decide=true")).toEqual([[second.id, first.id], 2, false]);
    expect(await read("may_decide=true&limit=1")).toEqual([[second.id], 2, true]);
    expect(await read("may_decide=true&state=approved")).toEqual([[], 2, false]);
    expect((await read("mine=true"))[0]).toHaveLength(3);
    await decide(lead, second);
    expect(await read("may_decide=true")).toEqual([[first.id], 1, false]);
    expect(await read("decided=true&limit=1")).toEqual([[second.id], 1, false]);
    const none = await hub.ask(stranger, "GET", approvalsPath);
    expect(none.waiting_total).toBe(0);
  });

  test("A node whose secret was changed after it was shown fails with conflict, and sends nothing", async () => {
    const body = postingBody([
      post("swapped", { headers: { "X-Key": "{{.Secret.KEY}}" }, body: {} }),
    ]);
    const workflow = await hub.publish(owner, body, { secrets: { KEY: "first" } });
    const asked = await ask(workflow);
    await hub.ask(owner, "PUT", `${workflowsPath}/${workflow}/secrets/KEY`, { value: "second" });
    await decide(boss, asked);
    const { state, error } = await stepOf(workflow, asked, "swapped");
    expect({ state, code: error.code }).toEqual({ state: "failed", code: "conflict" });
    expect(error.message).toContain("not what was approved");
    expect(sentTo("swapped")).toEqual([]);
  });

  test("A node that reads the name of the workflow fails with conflict after a new name", async () => {
    const body = postingBody([post("renamed", { body: { of: "{{.Workflow.Name}}" } })]);
    const workflow = await hub.publish(owner, body);
    const asked = await ask(workflow);
    expect(asked.will_run[0].fields.body).toEqual({ of: "Orders" });
    await hub.ask(owner, "PATCH", `${workflowsPath}/${workflow}`, { name: "Refunds" });
    await decide(boss, asked);
    expect((await stepOf(workflow, asked, "renamed")).error.code).toBe("conflict");
    expect(sentTo("renamed")).toEqual([]);
  });

  test("A node that was not shown, because it changed nothing then, fails with conflict", async () => {
    const workflow = await hub.publish(owner, postingBody([post("unseen", { body: {} })]));
    const asked = await ask(workflow);
    await runSql(
      hub.hub.store.db,
      "update workflow_approvals set expected = '{}' where id = ?",
      asked.id,
    );
    await decide(boss, asked);
    expect((await stepOf(workflow, asked, "unseen")).error.code).toBe("conflict");
    expect(sentTo("unseen")).toEqual([]);
  });

  test("With for_each, the approver sees the first items and their number, and a change stops all of them", async () => {
    const each = {
      for_each: "{{.Event.Payload.list}}",
      on_error: "continue" as const,
      body: { item: "{{.Item}}", of: "{{.Workflow.Name}}" },
    };
    const workflow = await hub.publish(owner, postingBody([post("each", each)]));
    const payload = { what: "x", list: Array.from({ length: 25 }, (_, at) => at) };
    const asked = await ask(workflow, owner, { payload });
    const [{ items, is_rendered }] = asked.will_run;
    expect([items.count, items.shown.length, is_rendered]).toEqual([25, 20, true]);
    expect(items.shown[3].body).toEqual({ item: 3, of: "Orders" });
    await decide(boss, asked);
    await hub.awaitRun(workflow, asked.run);
    expect(sentTo("each")).toHaveLength(25);
    const second = await ask(workflow, owner, { payload });
    await hub.ask(owner, "PATCH", `${workflowsPath}/${workflow}`, { name: "Refunds" });
    await decide(boss, second);
    const { output } = await stepOf(workflow, second, "each");
    expect(output.code).toBe("conflict");
    expect(sentTo("each")).toHaveLength(25);
  });

  test("A resumed run keeps the approval that was given for the same body, and asks again for another one", async () => {
    const body = postingBody([post("first", { body: {} }), post("second", { body: { v: 1 } })]);
    const workflow = await hub.publish(owner, body);
    const asked = await ask(workflow);
    failing.add("/second");
    await decide(boss, asked);
    expect((await hub.awaitRun(workflow, asked.run)).state).toBe("failed");
    failing.delete("/second");
    const path = `${workflowsPath}/${workflow}`;
    const decisions = [{ node_id: "second", decision: "repeat" }];
    const { run_id: resumed } = await hub.ask(owner, "POST", `${path}/runs/${asked.run}/resume`, {
      decisions,
    });
    expect((await hub.awaitRun(workflow, resumed)).state).toBe("succeeded");
    expect([sentTo("first").length, sentTo("second").length]).toEqual([1, 1]);

    const other = await ask(workflow);
    failing.add("/second");
    await decide(boss, other);
    await hub.awaitRun(workflow, other.run);
    failing.delete("/second");
    const changed = postingBody([post("first", { body: {} }), post("second", { body: { v: 2 } })]);
    await hub.ask(owner, "PUT", `${path}/draft`, { revision: 1, body: changed });
    const { run_id: again } = await hub.ask(owner, "POST", `${path}/runs/${other.run}/resume`, {
      body: "draft",
      decisions,
    });
    const second = await findAsked(workflow, again);
    expect([second.state, second.id === other.id]).toEqual(["pending", false]);
    expect(second.will_run[1].fields.body).toEqual({ v: 2 });
    expect(sentTo("second")).toHaveLength(1);
  });

  test("What a resumed run runs is what was shown for the first one, also after two failures", async () => {
    const posts = ["one", "two"].map((id) =>
      post(id, { headers: { "X-Key": "{{.Secret.KEY}}" }, body: {} }),
    );
    const key = `secret-${crypto.randomUUID()}`;
    const workflow = await hub.publish(owner, postingBody(posts), { secrets: { KEY: key } });
    const path = `${workflowsPath}/${workflow}`;
    const asked = await ask(workflow);
    failing.add("/two");
    await decide(boss, asked);
    expect((await hub.awaitRun(workflow, asked.run)).state).toBe("failed");
    const decisions = [{ node_id: "two", decision: "repeat" }];
    const resume = async (run: string) => {
      const answer = await hub.ask(owner, "POST", `${path}/runs/${run}/resume`, { decisions });
      return await hub.awaitRun(workflow, answer.run_id);
    };
    const second = await resume(asked.run);
    expect(second.state).toBe("failed");
    failing.delete("/two");
    await hub.ask(owner, "PUT", `${path}/secrets/KEY`, { value: "another" });
    const third = await resume(second.id);
    expect([third.state, third.error.code, sentTo("two")]).toEqual(["failed", "conflict", []]);
    await hub.ask(owner, "PUT", `${path}/secrets/KEY`, { value: key });
    // It failed before it sent anything, so there is nothing to decide.
    const { run_id } = await hub.ask(owner, "POST", `${path}/runs/${third.id}/resume`, {});
    expect((await hub.awaitRun(workflow, run_id)).state).toBe("succeeded");
    expect([sentTo("one").length, sentTo("two").map((got) => got.key)]).toEqual([1, [key]]);
    // No approver was asked again.
    const { approvals } = await hub.ask(hub.admin, "GET", `${approvalsPath}?workflow=${workflow}`);
    expect(approvals.map(({ id }: { id: string }) => id)).toEqual([asked.id]);
  });

  test("A run that was cancelled while it asked asks again when it is resumed, and no decision answers for the approvers", async () => {
    const workflow = await hub.publish(owner, postingBody([post("again", { body: {} })]));
    const path = `${workflowsPath}/${workflow}/runs`;
    const asked = await ask(workflow);
    await hub.ask(owner, "POST", `${path}/${asked.run}/cancel`);
    await hub.awaitRun(workflow, asked.run, /cancelled/);
    const refused = await hub.hub.request("POST", `${path}/${asked.run}/resume`, {
      headers: owner.headers,
      body: { decisions: [{ node_id: "ask", decision: "succeeded", output: "approved" }] },
    });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining("which only its approvers decide"),
    ]);
    const { run_id } = await hub.ask(owner, "POST", `${path}/${asked.run}/resume`, {});
    const second = await findAsked(workflow, run_id);
    expect([second.state, second.id === asked.id]).toEqual(["pending", false]);
    expect((await decide(boss, asked)).status).toBe(409);
    await decide(boss, second);
    await hub.awaitRun(workflow, run_id);
    expect(sentTo("again")).toHaveLength(1);
  });

  test("A run that an output schedules is shown, and what follows must not be too large to be shown", async () => {
    const later = { schedule_at: "{{.Event.Payload.what}}", n: 1 };
    const scheduling = postingBody([], { more: [{ id: "later", type: "set", value: later }] });
    scheduling.triggers?.push({ id: "at", type: "schedule_at", entry: "ask" });
    scheduling.edges = [{ from: "ask", to: "later", case: "approved" }];
    const asked = await ask(await hub.publish(owner, scheduling));
    expect(asked.will_run).toMatchObject([
      { node_id: "later", target: "schedule_at", fields: { value: { schedule_at: "it" } } },
    ]);
    const each = { for_each: "{{.Event.Payload.list}}", body: { all: "{{.Event.Payload.large}}" } };
    const posts = Array.from({ length: 5 }, (_, at) => post(`large${at}`, each));
    const workflow = await hub.publish(owner, postingBody(posts));
    const payload = { list: Array.from({ length: 20 }, () => 1), large: "x".repeat(400_000) };
    const path = `${workflowsPath}/${workflow}/runs`;
    const { run_id } = await hub.ask(owner, "POST", path, { payload });
    const { state, error } = await hub.awaitRun(workflow, run_id);
    expect([state, error.message]).toEqual(["failed", expect.stringContaining("32 MiB")]);
  });

  test("After an approval, an output schedules a run only if the approvers were shown its time", async () => {
    const at = "2099-01-01T00:00:00Z";
    const nodes: WorkflowBodyInput["nodes"] = [
      { id: "shown", type: "set", value: { schedule_at: at } },
      { id: "script", type: "code", source: `return { schedule_at: "${at}" }` },
      { id: "given", type: "set", value: "{{.Event.Payload.plan}}" },
    ];
    const body = postingBody([], { more: nodes });
    body.triggers?.push({ id: "at", type: "schedule_at", entry: "ask" });
    body.edges = nodes.map(({ id }) => ({ from: "ask", to: id, case: "approved" }));
    const workflow = await hub.publish(owner, body);
    const asked = await ask(workflow, owner, { payload: { plan: { schedule_at: at } } });
    expect(asked.will_run.map(({ node_id }: { node_id: string }) => node_id)).toEqual(["shown"]);
    await decide(boss, asked);
    const run = await hub.awaitRun(workflow, asked.run);
    expect(run.state).toBe("succeeded");
    const path = `${workflowsPath}/${workflow}`;
    const scheduled = await hub.ask(owner, "GET", `${path}/scheduled`);
    expect(scheduled.runs).toHaveLength(1);
    const warned = run.steps.filter(({ warnings }: { warnings: string[] }) =>
      warnings.some((warning) => warning.startsWith("No run was scheduled: the approvers")),
    );
    expect(warned.map(({ node_id }: { node_id: string }) => node_id).sort()).toEqual([
      ...["given", "script"],
    ]);
  });

  test("What another workflow gets is shown, and what cannot be rendered says why", async () => {
    const child = await hub.publish(owner, bodyOf());
    const body = postingBody([post("broken", { body: { x: "{{fromJSON .Event.Payload.what}}" } })]);
    body.nodes?.push({
      id: "child",
      type: "workflow",
      workflow_id: child,
      label: "Child",
      payload: { n: "{{.Event.Payload.what}}" },
    });
    body.edges?.push({ from: "ask", to: "child", case: "approved" });
    const asked = await ask(await hub.publish(owner, body));
    expect(asked.will_run).toMatchObject([
      { node_id: "broken", is_rendered: false, problem: expect.stringContaining("fromJSON") },
      { node_id: "child", type: "workflow", target: child, target_name: "Orders", label: "Child" },
    ]);
    expect(asked.will_run[1].fields).toEqual({ payload: { n: "it" } });
  });
});
