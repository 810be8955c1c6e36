/**
 * Protects: workflows that start each other, error triggers and replays give no user a right, a reason or an
 * encrypted value of another owner.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { updateUser } from "@hub/server/store/users/users-table.ts";
import { openApiHub } from "../api/open-api-hub.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

let hub: WorkflowUsers;
/** Owns workflows that others start. */
let owner: WorkflowUser;
/** Shares the tag `red` with them. */
let sharer: WorkflowUser;
beforeAll(async () => {
  hub = await openWorkflowUsers();
  owner = await hub.addUser({ tags: ["red"] });
  sharer = await hub.addUser({ tags: ["red"] });
});
afterAll(() => hub[Symbol.asyncDispose]());

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;

const manual = (...nodes: Nodes): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
});
const calling = (workflow: string, more: object = {}) =>
  manual({ id: "other", type: "workflow", workflow_id: workflow, wait: true, ...more });
const secrets = { KEY: "s3cret-of-the-owner" };

test("A workflow that shares a tag gets the output of another owner's workflow without its secrets", async () => {
  const greeting = manual({ id: "say", type: "set", value: "Hello {{.Secret.KEY}}" });
  const shared = await hub.publish(owner, greeting, { tags: ["red"], secrets });
  const run = await hub.run(sharer, await hub.publish(sharer, calling(shared)));
  expect(run).toMatchObject({ state: "succeeded", steps: [{ output: "Hello [secret]" }] });
});

test("It does not learn why another owner's workflow failed, and an owner learns it of their own", async () => {
  const failing = manual({ id: "stop", type: "fail", message: "The account of Ann is empty" });
  const shared = await hub.publish(owner, failing, { tags: ["red"] });
  const seen = await hub.run(sharer, await hub.publish(sharer, calling(shared)));
  expect(seen.state).toBe("failed");
  expect(JSON.stringify(seen)).not.toContain("Ann");
  expect(seen.error.message).toContain("Its owner sees why");
  const own = await hub.run(owner, await hub.publish(owner, calling(shared)));
  expect(own.error.message).toContain("The account of Ann is empty");
});

test("A workflow whose tag is lost after publishing, or that only its owner starts, does not exist for others", async () => {
  const said = manual({ id: "say", type: "set", value: 1 });
  const shared = await hub.publish(owner, said, { tags: ["red"] });
  const caller = await hub.publish(sharer, calling(shared));
  expect((await hub.run(sharer, caller)).state).toBe("succeeded");
  await hub.ask(owner, "PATCH", `${workflowsPath}/${shared}`, { run_by: "owner" });
  expect(await hub.run(sharer, caller)).toMatchObject({
    state: "failed",
    error: { code: "not_found" },
  });
  await hub.ask(owner, "PATCH", `${workflowsPath}/${shared}`, { run_by: "tags" });
  await hub.ask(owner, "PUT", `${workflowsPath}/${shared}/tags`, { tags: [] });
  expect(await hub.run(sharer, caller)).toMatchObject({
    state: "failed",
    error: { code: "not_found" },
  });
});

test("A workflow of an owner who is not active runs for no other workflow", async () => {
  const gone = await hub.addUser({ tags: ["red"] });
  const said = manual({ id: "say", type: "set", value: 1 });
  const shared = await hub.publish(gone, said, { tags: ["red"] });
  const caller = await hub.publish(sharer, calling(shared));
  await hub.hub.admin.users.disable(gone.user.id);
  expect(await hub.run(sharer, caller)).toMatchObject({
    state: "failed",
    error: { code: "forbidden" },
  });
  const { runs } = await hub.ask(hub.admin, "GET", `${workflowsPath}/${shared}/runs`);
  expect(runs).toEqual([]);
});

test("Encrypted values of one owner are not passed to a workflow of another owner", async () => {
  const said = manual({ id: "say", type: "set", value: "{{.Event.Payload}}" });
  const shared = await hub.publish(owner, said, { tags: ["red"] });
  const payload = { key: "{{.Secret.KEY}}" };
  const refused = await hub.run(
    sharer,
    await hub.publish(sharer, calling(shared, { payload }), { secrets }),
  );
  expect(refused).toMatchObject({ state: "failed", error: { code: "bad_request" } });
  const { runs } = await hub.ask(owner, "GET", `${workflowsPath}/${shared}/runs`);
  expect(runs).toEqual([]);
  const own = await hub.publish(owner, calling(shared, { payload }), { secrets });
  expect((await hub.run(owner, own)).state).toBe("succeeded");
});

test("After a transfer, a run with encrypted values of the former owner is not replayed", async () => {
  const said = manual({ id: "say", type: "set", value: "{{.Event.Payload}}" });
  const former = await hub.addUser();
  const workflow = await hub.publish(former, said, { secrets });
  const plain = await hub.run(former, workflow, { text: "hello" });
  // It is stored as an encrypted value.
  const secret = await hub.run(former, workflow, { text: secrets.KEY });
  expect(secret.event.Payload.text).toStartWith("hub_enc_");
  await hub.giveAway(workflow, former, owner);
  const replay = (run: { id: string }) =>
    hub.hub.request("POST", `${workflowsPath}/${workflow}/runs/${run.id}/replay`, {
      headers: owner.headers,
      body: {},
    });
  expect((await replay(plain)).status).toBe(200);
  const refused = await replay(secret);
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringContaining("encrypted value"),
  ]);
});

test("No user can resume a failed run of a former owner, and it starts nothing; the new owner replays it", async () => {
  const former = await hub.addUser();
  const body = manual(
    { id: "say", type: "set", value: 1 },
    { id: "stop", type: "fail", message: "No" },
  );
  const workflow = await hub.publish(former, body);
  const failed = await hub.run(former, workflow);
  await hub.giveAway(workflow, former, owner);
  const path = `${workflowsPath}/${workflow}/runs`;
  const request = (by: WorkflowUser, method: string, end: string, given?: object) =>
    hub.hub.request(method, `${path}/${failed.id}/${end}`, { headers: by.headers, body: given });
  for (const by of ["then", "draft", "published"]) {
    for (const user of [owner, hub.admin]) {
      const refused = await request(user, "POST", "resume", { body: by });
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.stringContaining("former owner"),
      ]);
      expect((await request(user, "GET", `resume?body=${by}`)).status).toBe(409);
    }
    expect((await request(former, "POST", "resume", { body: by })).status).toBe(404);
    expect((await request(sharer, "POST", "resume", { body: by })).status).toBe(404);
  }
  expect(await hub.awaitRun(workflow, failed.id)).toMatchObject({ resumed_by_run_id: null });
  expect((await hub.ask(owner, "GET", path)).runs).toHaveLength(1);
  const { run_id } = (await request(owner, "POST", "replay", {})).body;
  expect(await hub.awaitRun(workflow, run_id)).toMatchObject({ error: { message: "No" } });
});

test("No user can resume a failed run of an owner who is not active until the owner is active again", async () => {
  const former = await hub.addUser();
  const body = manual(
    { id: "say", type: "set", value: 1 },
    { id: "stop", type: "fail", message: "No" },
  );
  const workflow = await hub.publish(former, body);
  const failed = await hub.run(former, workflow);
  const path = `${workflowsPath}/${workflow}/runs/${failed.id}/resume`;
  const resume = (by: WorkflowUser) =>
    hub.hub.request("POST", path, { headers: by.headers, body: {} });
  for (const status of ["disabled", "pending"] as const) {
    await updateUser(hub.hub.store.db, former.user.id, { status }, Date.now());
    const refused = await resume(hub.admin);
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.stringContaining("is not active"),
    ]);
    expect((await resume(former)).status).toBe(401);
    const { runs } = await hub.ask(hub.admin, "GET", `${workflowsPath}/${workflow}/runs`);
    expect(runs.map(({ id }: { id: string }) => id)).toEqual([failed.id]);
  }
  await updateUser(hub.hub.store.db, former.user.id, { status: "active" }, Date.now());
  const again = await resume(hub.admin);
  expect(again.status).toBe(200);
  expect(await hub.awaitRun(workflow, again.body.run_id)).toMatchObject({
    steps: [{ node_id: "say", is_taken_over: true }, { node_id: "stop" }],
  });
});

test("An error trigger for all workflows gets those of its owner only, from the moment its owner is no admin", async () => {
  const demoted = await hub.addUser({ admin: true });
  const failing = manual({ id: "stop", type: "fail", message: "No stock" });
  const shop = await hub.publish(owner, failing);
  const alarm = await hub.publish(demoted, {
    triggers: [
      { id: "all", type: "error", entry: "note", source_workflow: "*" },
      { id: "one", type: "error", entry: "note", source_workflow: shop },
    ],
    nodes: [{ id: "note", type: "set", value: "{{.Event.Payload.error.message}}" }],
  });
  const countRuns = async () =>
    (await hub.ask(hub.admin, "GET", `${workflowsPath}/${alarm}/runs`)).runs.length;
  await hub.run(owner, shop);
  expect(await countRuns()).toBe(2);
  await hub.hub.admin.users.set(demoted.user.id, { role: "user" });
  await hub.run(owner, shop);
  expect(await countRuns()).toBe(2);
});

test("A run is read, followed, cancelled, replayed and moved only by the address of its own workflow", async () => {
  const waiting = manual({ id: "pause", type: "wait", seconds: 3600 });
  const theirs = await hub.publish(owner, waiting);
  const { run_id: run } = await hub.ask(owner, "POST", `${workflowsPath}/${theirs}/runs`, {});
  const mine = await hub.publish(sharer, waiting);
  const path = `${workflowsPath}/${mine}`;
  const requests: [string, string, unknown?][] = [
    ["GET", `${path}/runs/${run}`],
    ["GET", `${path}/runs/${run}/events`],
    ["POST", `${path}/runs/${run}/cancel`],
    ["POST", `${path}/runs/${run}/replay`, {}],
    ["PATCH", `${path}/scheduled/${run}`, { scheduled_at: "2100-01-01T00:00:00Z" }],
    ["DELETE", `${path}/scheduled/${run}`],
  ];
  for (const [method, sent, body] of requests) {
    const { status } = await hub.hub.request(method, sent, { headers: sharer.headers, body });
    expect([method, sent, status]).toEqual([method, sent, 404]);
  }
  expect((await hub.awaitRun(theirs, run, /waiting/)).state).toBe("waiting");
});

test("With HUB_WORKFLOW_AUTHORS=admins, users start, disable and delete their workflows, and write none", async () => {
  const said = manual({ id: "say", type: "set", value: 1 });
  const own = await hub.publish(owner, said, { secrets });
  const offered = await hub.publish(hub.admin, said);
  const path = (id: string) => `${workflowsPath}/${id}`;
  await hub.ask(owner, "PUT", `${path(own)}/draft`, { revision: 1, body: {} });
  await hub.ask(hub.admin, "POST", `${path(offered)}/offer`, { owner: owner.user.email });
  const { updated_at } = await hub.ask(owner, "GET", path(offered));
  const exported = await hub.ask(owner, "GET", `${path(own)}/export`);
  await using second = await openApiHub({
    HUB_DATA_DIR: hub.hub.dataDir,
    HUB_WORKFLOW_AUTHORS: "admins",
  });
  const requests: [string, string, unknown, number][] = [
    ["POST", workflowsPath, { name: "New" }, 403],
    ["POST", `${workflowsPath}/import`, exported, 403],
    ["PUT", `${path(own)}/draft`, { revision: 2, body: {} }, 403],
    ["POST", `${path(own)}/publish`, { revision: 2 }, 403],
    ["POST", `${path(own)}/versions/1/restore`, { revision: 2 }, 403],
    ["POST", `${path(offered)}/accept`, { updated_at }, 403],
    ["GET", path(own), undefined, 200],
    ["POST", `${path(own)}/runs`, {}, 200],
    ["POST", `${path(own)}/disable`, undefined, 200],
    ["DELETE", path(own), undefined, 200],
  ];
  for (const [method, sent, body, expected] of requests) {
    const { status } = await second.request(method, sent, { headers: owner.headers, body });
    expect([method, sent, status]).toEqual([method, sent, expected]);
  }
});

test("A workflow whose secret changed after its heir has read it is read again before it is accepted", async () => {
  const giver = await hub.addUser();
  const heir = await hub.addUser();
  const said = manual({ id: "say", type: "set", value: "{{.Secret.KEY}}" });
  const workflow = await hub.publish(giver, said, { secrets });
  const path = `${workflowsPath}/${workflow}`;
  await hub.ask(giver, "POST", `${path}/offer`, { owner: heir.user.email });
  const accept = async (updated_at: string) => {
    const given = { headers: heir.headers, body: { updated_at } };
    return (await hub.hub.request("POST", `${path}/accept`, given)).status;
  };
  for (const change of ["PUT", "DELETE"]) {
    const { updated_at } = await hub.ask(heir, "GET", path);
    const body = change === "PUT" ? { value: "another address" } : undefined;
    await hub.ask(giver, change, `${path}/secrets/KEY`, body);
    expect([change, await accept(updated_at)]).toEqual([change, 409]);
  }
  expect(await accept((await hub.ask(heir, "GET", path)).updated_at)).toBe(200);
});
