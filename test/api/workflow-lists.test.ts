/** What lists show of workflows and their runs: to owners, to users who share a tag, and to other users. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { newWorkflowRun, queueOf } from "@hub/server/store/test-data.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { actAsUser } from "@hub/server/workflows/definition/testing/act-on-workflows.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(180_000);

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let owner: TestUser;
let sharer: TestUser;
let stranger: TestUser;
let id: string;

/** Half a day from now, so that a tick comes neither during the tests nor before the runs that they schedule. */
const tickHour = (new Date().getUTCHours() + 12) % 24;
const hoursOfTokyo = 9;

const body = {
  triggers: [
    {
      id: "nightly",
      type: "cron",
      timezone: "Asia/Tokyo",
      entry: "one",
      schedule: `0 0 ${(tickHour + hoursOfTokyo) % 24} * * *`,
    },
    {
      id: "by_hand",
      type: "manual",
      entry: "one",
      label: "Report",
      input: [{ name: "Day", type: "text", tag: "required;desc=Which day" }],
    },
    { id: "plain", type: "manual", entry: "one" },
  ],
  nodes: [{ id: "one", type: "set", value: "x" }],
};

beforeAll(async () => {
  hub = await openApiHub();
  owner = await hub.addUser("owner@example.com");
  sharer = await hub.addUser("sharer@example.com", { tags: ["red"] });
  stranger = await hub.addUser("stranger@example.com");
  const verbs = await actAsUser(hub.hub.services, owner.user.id);
  ({ id } = await verbs.create({ name: "Zebra report", body }));
  await verbs.publish(id, 1);
});
afterAll(() => hub[Symbol.asyncDispose]());

const get = async (who: TestUser, path: string) => (await hub.request("GET", path, who)).body;
const listFor = async (who: TestUser, query = "") =>
  (await get(who, `/manager/api/workflows${query}`)).workflows;

async function addRun(state: string, given: Parameters<typeof newWorkflowRun>[0] = {}) {
  // The hub does not begin a run of the future.
  const scheduledAt = state === "failed" ? Date.now() + 3_600_000 : null;
  const run = newWorkflowRun({ workflowId: id, scheduledAt, ...given });
  await hub.store.workflowRuns.accept({ run, queue: queueOf(), deliveryId: null, claimBy: null });
  const error = JSON.stringify({ message: "The disk is full.", code: "x", node_id: "one" });
  if (state === "failed") {
    await runSql(
      hub.store.db,
      `update workflow_runs set state = 'failed', ended_at = 5, due_at = null, error = '${error}' where id = '${run.id}'`,
    );
  }
  return run.id;
}

test("The list names what starts a workflow, its last run and its next one, also for users who share a tag", async () => {
  const admin = await hub.addUser("root@example.com", { admin: true });
  await hub.request("PUT", `/manager/api/workflows/${id}/tags`, {
    headers: admin.headers,
    body: { tags: ["red"] },
  });
  const [before] = await listFor(owner);
  expect(
    before.triggers.map(({ id: one, type }: { id: string; type: string }) => [one, type]),
  ).toEqual([
    ["by_hand", "manual"],
    ["nightly", "cron"],
    ["plain", "manual"],
  ]);
  expect(before.triggers.map(({ words }: { words: string | null }) => words)).toEqual([
    null,
    `Every day at ${String((tickHour + hoursOfTokyo) % 24).padStart(2, "0")}:00`,
    null,
  ]);
  expect(before.last_run).toBeNull();
  expect(before.recent_runs).toEqual([]);
  expect(before.next_run_at).toEndWith(`T${String(tickHour).padStart(2, "0")}:00:00.000Z`);
  expect(await listFor(owner, "?state=failing")).toEqual([]);

  const failed = await addRun("failed");
  const scheduledAt = Date.now() + 3_600_000;
  await addRun("queued", { scheduledAt });
  const [shown] = await listFor(owner, "?state=failing");
  expect(shown.last_run).toMatchObject({ id: failed, state: "failed", error: { node_id: "one" } });
  expect(shown.next_run_at).toBe(new Date(scheduledAt).toISOString());

  expect(shown.recent_runs).toEqual([{ state: "failed", at: expect.any(String), took_ms: null }]);

  const [shared] = await listFor(sharer, "?state=failing");
  expect(shared.recent_runs).toEqual(shown.recent_runs);
  expect(shared).toMatchObject({ triggers: null, next_run_at: null });
  expect(shared.last_run).toMatchObject({ state: "failed", error: null, started_by: null });
  expect(await listFor(stranger)).toEqual([]);
});

test("The runs of a workflow are found by trigger and by time, in pages", async () => {
  const begunAt = Date.now();
  const ids = await Promise.all(
    Array.from({ length: 5 }, () => addRun("queued", { triggerId: "nightly" })),
  );
  const runs = `/manager/api/workflows/${id}/runs`;
  const found: string[] = [];
  let next: string | null = "";
  while (next !== null) {
    const page = await get(owner, `${runs}?trigger=nightly&limit=2${next && `&after=${next}`}`);
    found.push(...page.runs.map((run: { id: string }) => run.id));
    next = page.next;
  }
  expect(found).toEqual(ids.toSorted().reverse());
  const count = async (query: string) => (await get(owner, `${runs}?${query}`)).runs.length;
  const before = new Date(begunAt - 60_000).toISOString();
  expect(await count(`trigger=nightly&from=${before}`)).toBe(5);
  expect(await count(`trigger=nightly&to=${before}`)).toBe(0);
  // The hub may have begun them by now, so they can have failed.
  expect(await count("state=waiting&trigger=nightly")).toBe(0);
});

test("A run that is far down the list is found over pages that look at some runs each", async () => {
  const rare = await addRun("queued", {
    triggerId: "rare",
    id: "00000000-0000-7000-8000-000000000000",
  });
  const columns = `workflow_id, body_id, version, owner_id, trigger_id, trigger_type, entry, started_by,
    error_depth, chain_depth, nesting, severity, created_at, lease_number, active_ms, event_bytes, event`;
  await runSql(
    hub.store.db,
    `insert into workflow_runs (id, state, ${columns})
     with recursive many(n) as (select 1 union all select n + 1 from many where n < 21000)
     select 'f0000000-0000-7000-8000-' || n, 'succeeded', ${columns} from workflow_runs, many
     where workflow_runs.id = '${rare}'`,
  );
  await runSql(hub.store.db, `update workflow_runs set trigger_id = 'often' where id like 'f%'`);
  const runs = `/manager/api/workflows/${id}/runs?trigger=rare`;
  const first = await get(owner, runs);
  expect(first.runs).toEqual([]);
  expect(first.next).not.toBeNull();
  const second = await get(owner, `${runs}&after=${first.next}`);
  expect(second.runs.map((run: { id: string }) => run.id)).toEqual([rare]);
  expect(second.next).toBeNull();
});

test("The ticks of a cron trigger are in its time zone, for the owner and admins", async () => {
  const { triggers } = await get(owner, `/manager/api/workflows/${id}/ticks`);
  expect(triggers).toMatchObject([{ trigger_id: "nightly", timezone: "Asia/Tokyo" }]);
  const times = triggers[0].ticks.map((at: string) => Date.parse(at));
  expect(times).toHaveLength(10);
  expect(times[1] - times[0]).toBe(86_400_000);
  const { status } = await hub.request("GET", `/manager/api/workflows/${id}/ticks`, sharer);
  expect(status).toBe(403);
});

test("A manual trigger has its form, for everyone who may start the workflow", async () => {
  const path = `/manager/api/workflows/${id}/manual`;
  for (const who of [owner, sharer]) {
    const { triggers } = await get(who, path);
    expect(triggers).toMatchObject([
      {
        id: "by_hand",
        label: "Report",
        takes_fields: true,
        groups: [{ fields: [{ key: "day", required: true, description: "Which day" }] }],
      },
      { id: "plain", label: null, takes_fields: false, groups: [] },
    ]);
  }
  const asDraft = await hub.request("GET", `${path}?body=draft`, sharer);
  expect(asDraft.status).toBe(403);
  const verbs = await actAsUser(hub.hub.services, owner.user.id);
  await verbs.change(id, { runBy: "owner" });
  expect((await get(sharer, path)).triggers).toEqual([]);
  expect((await get(owner, path)).triggers).toHaveLength(2);
  await verbs.change(id, { runBy: "tags" });
});

test("The search finds workflows and a run by its id, for those who see them", async () => {
  const run = await addRun("queued");
  const search = (who: TestUser, q: string) => get(who, `/manager/api/search?q=${q}`);
  expect((await search(owner, "zebra")).workflows).toEqual([
    { id, name: "Zebra report", may_start: true, may_manage: true },
  ]);
  expect((await search(owner, "run zebra")).workflows).toHaveLength(1);
  expect((await search(sharer, "rep")).workflows).toMatchObject([{ id, may_manage: false }]);
  expect((await search(stranger, "zebra")).workflows).toEqual([]);
  expect((await search(sharer, run)).workflow_runs).toEqual([
    { id: run, workflow: id, name: "Zebra report" },
  ]);
  expect((await search(stranger, run)).workflow_runs).toEqual([]);
});

test("Users are told whether they can make a workflow", async () => {
  expect((await get(owner, "/manager/api/workflows")).may_create).toBe(true);
  await using strict = await openApiHub({ HUB_WORKFLOW_AUTHORS: "admins" });
  const mayCreate = async (who: TestUser) =>
    (await strict.request("GET", "/manager/api/workflows", who)).body.may_create;
  expect(await mayCreate(await strict.addUser("user@example.com"))).toBe(false);
  expect(await mayCreate(await strict.addUser("root@example.com", { admin: true }))).toBe(true);
});

test("A workflow that is far down the list is found over pages that look at some workflows each", async () => {
  await runSql(
    hub.store.db,
    `insert into workflows (id, name, description, owner_id, enabled, run_by, version, draft_body_id,
       draft_revision, draft_saved_by, draft_saved_at, created_at, updated_at)
     with recursive many(n) as (select 1 union all select n + 1 from many where n < 21000)
     select 'many-' || n, 'Many', '', owner_id, 1, run_by, 0, draft_body_id, 1, draft_saved_by, 0, n + 4000000000000, 0
     from workflows, many where workflows.id = '${id}'`,
  );
  const all = "/manager/api/workflows?q=report&limit=1000";
  const before = await get(owner, all);
  expect(before.workflows).toEqual([]);
  expect(before.next).not.toBeNull();
  const after = await get(owner, `${all}&after=${before.next}`);
  expect(after.workflows.map((one: { id: string }) => one.id)).toContain(id);
  expect(after.next).toBeNull();
});
