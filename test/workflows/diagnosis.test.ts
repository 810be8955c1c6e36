/**
 * Runs that fail after they worked, each for another reason: the diagnosis names the reason. What only admins know
 * about it is not told to others.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { recordChange, stampChange } from "@hub/server/changes/record-change.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

/** What the outside system answers for each path. */
const answers = new Map<string, () => Response | Promise<Response>>();
const toServer = () =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (req) => answers.get(new URL(req.url).pathname)?.() ?? Response.json({ ok: true }),
  });
const server = toServer();
const cutServer = toServer();

const owned = new AsyncDisposableStack();
let hub: WorkflowUsers;

type Case = {
  user: WorkflowUser;
  row: string;
  workflow: string;
  tag: string;
  /** The path that only this case requests. */
  path: string;
};
type Expected = {
  code: string;
  status?: number;
  /** In the text for an admin, and in that for the owner. */
  admin: RegExp;
  owner: RegExp;
};
type Failure = Expected & {
  node?: object;
  base?: () => string;
  secrets?: Record<string, string>;
  change(one: Case): unknown;
  /** The payload of the second run. */
  payload?: object;
};

const outside =
  (name: string, answer: () => Response | Promise<Response>) =>
  ({ path }: Case) => {
    expect(path).toBe(`/${name}`);
    answers.set(path, answer);
  };
const refuse = (status: number) => () => Response.json({ error: "no" }, { status });

const failures: Record<string, Failure> = {
  row: {
    change: ({ row }) => hub.hub.admin.rows.disable(row),
    code: "connector_disabled",
    admin: /`local-admin`: The row `Row row` was disabled/,
    owner: /Z: The row `Row row` was disabled/,
  },
  rights: {
    change: ({ user }) => hub.hub.admin.users.set(user.user.id, { tags: [] }),
    code: "not_found",
    admin: /The account of the owner was changed: `{"tags":{"from":\["rights"\],"to":\[\]}}`/,
    owner: /Z: The account of the owner was changed\./,
  },
  hidden: {
    change: ({ row }) => hub.hub.admin.rows.set(row, { tags: [] }),
    code: "not_found",
    admin: /The row `Row hidden` was changed: `{"tags":{"from":\["hidden"\],"to":\[\]}}`/,
    // The owner must not learn that the row still exists.
    owner: /^(?!.*The row).*Nothing that you can see changed here since then\.$/ms,
  },
  template: {
    async change({ workflow, user }) {
      const path = `${workflowsPath}/${workflow}`;
      const { body } = await hub.ask(user, "GET", path);
      body.nodes[1].params.path = "{{len .Event.Payload.n}}";
      const { draft } = await hub.ask(user, "PUT", `${path}/draft`, { revision: 1, body });
      await hub.ask(user, "POST", `${path}/publish`, { revision: draft.revision });
    },
    code: "template_failed",
    admin: /In the body: `The node "send": params\.path changes from/,
    owner: /In the body: `The node "send": params\.path changes from/,
  },
  event: {
    change: () => {},
    payload: { n: 2 },
    node: { params: { path: "{{.Event.Payload.name}}" } },
    code: "invalid_params",
    admin: /Of what it reads of the event, `\/Payload\/name` is gone\. It was `\/ada`/,
    owner: /A template of it warned: .*name/,
  },
  credentials: {
    change: outside("credentials", refuse(401)),
    code: "upstream_error",
    status: 401,
    admin: /does not accept the credentials.*Nothing changed here.*behaves differently/s,
    owner: /does not accept the credentials.*Nothing that you can see changed here/s,
  },
  limit: {
    change: outside("limit", refuse(429)),
    code: "upstream_error",
    status: 429,
    admin: /status 429.*too many requests/s,
    owner: /status 429.*too many requests/s,
  },
  timeout: {
    node: { timeout_s: 1 },
    change: outside("timeout", () => new Promise<Response>(() => {})),
    code: "timeout",
    admin: /did not end within its time limit.*Nothing changed here/s,
    owner: /did not end within its time limit.*Nothing that you can see changed here/s,
  },
  network: {
    base: () => cutServer.url.href,
    change: () => cutServer.stop(true),
    code: "upstream_error",
    admin: /Nothing changed here since then, and its inputs are the same/,
    owner: /Nothing that you can see changed here/,
  },
  secret: {
    secrets: { KEY: "s3cret-of-the-owner" },
    node: { params: { path: "/secret", headers: { "x-key": "{{.Secret.KEY}}" } } },
    change: ({ user, workflow }) =>
      hub.ask(user, "DELETE", `${workflowsPath}/${workflow}/secrets/KEY`),
    code: "secret_missing",
    admin: /`user-\d+@example\.com`: The secret `KEY` of the workflow was removed/,
    owner: /Z: The secret `KEY` of the workflow was removed/,
  },
  code: {
    node: {
      type: "code",
      tool_id: undefined,
      params: undefined,
      source: "if (event.Payload.n > 1) throw new Error('too many'); return 1;",
    },
    change: () => {},
    payload: { n: 2, name: "/ada" },
    code: "code_failed",
    admin: /too many.*`\/Payload\/n` was `1` and is `2`/s,
    owner: /too many/,
  },
  plugin: {
    // As an update of the plugin writes it.
    async change(one) {
      outside("plugin", refuse(400))(one);
      const stamp = stampChange(commandLineActor, Date.now());
      const change = { action: "plugin.update", kind: "plugin", id: "http", name: "HTTP" } as const;
      await transaction(hub.hub.store.db, (trx) =>
        recordChange(trx, stamp, { ...change, detail: { from: "1.0.0", version: "2.0.0" } }),
      );
    },
    code: "upstream_error",
    status: 400,
    admin: /The plugin `http` was updated: `{"from":"1\.0\.0","version":"2\.0\.0"}`/,
    owner: /Z: The plugin `http` was updated\./,
  },
};

const ended = new Map<string, { admin: string; owner: string; found: Diagnosis }>();
// biome-ignore lint/suspicious/noExplicitAny: an answer of the API
type Diagnosis = any;

async function fail(name: string, { node, base, secrets, change, payload }: Failure) {
  const user = await hub.addUser({ tags: [name] });
  const values = { base_url: base?.() ?? server.url.href };
  const row = await hub.hub.admin.rows.add({
    connector: "http",
    label: `Row ${name}`,
    tags: [name],
    values,
  });
  const send = {
    id: "send",
    type: "operation",
    tool_id: `conn:${row.id}/get`,
    params: { path: `/${name}` },
    ...node,
  };
  const workflow = await hub.publish(
    user,
    {
      triggers: [{ id: "start", type: "manual", entry: "first" }],
      nodes: [{ id: "first", type: "set", value: 1 }, JSON.parse(JSON.stringify(send))],
      edges: [{ from: "first", to: "send" }],
    },
    { ...(secrets && { secrets }) },
  );
  const first = await hub.run(user, workflow, { n: 1, name: "/ada" });
  expect([name, first.error]).toEqual([name, null]);
  await change({ user, row: row.id, workflow, tag: name, path: `/${name}` });
  const { id: run } = await hub.run(user, workflow, payload ?? { n: 1, name: "/ada" });
  const path = `${workflowsPath}/${workflow}/runs/${run}/diagnosis`;
  const asAdmin = await hub.ask(hub.admin, "GET", path);
  const asOwner = await hub.ask(user, "GET", path);
  expect([name, asAdmin.summary, asAdmin.last_success?.run_id]).toEqual([
    name,
    expect.anything(),
    first.id,
  ]);
  ended.set(name, { admin: asAdmin.markdown, owner: asOwner.markdown, found: asOwner });
}

beforeAll(async () => {
  hub = owned.use(await openWorkflowUsers());
  // The plugin's change concerns all rows of `http`, so the case comes last.
  const { plugin, ...others } = failures;
  const all = Object.entries(others).map(([name, failure]) => fail(name, failure));
  await Promise.all(all);
  if (plugin) await fail("plugin", plugin);
});
afterAll(async () => {
  await Promise.all([server.stop(true), cutServer.stop(true)]);
  await owned.disposeAsync();
});

test.each(Object.entries(failures))("The diagnosis names the reason: %s", (name, expected) => {
  const one = ended.get(name);
  expect(one?.found.step).toMatchObject({
    node_id: "send",
    http_status: expected.status ?? null,
    error: { code: expected.code },
  });
  expect(one?.found.meaning.code).toBe(expected.code);
  expect(one?.admin).toMatch(expected.admin);
  expect(one?.owner).toMatch(expected.owner);
});

test("An owner who is no admin learns neither who changed something nor its values", () => {
  expect([...ended.keys()].toSorted()).toEqual(Object.keys(failures).toSorted());
  for (const [name, { owner, found }] of ended) {
    expect([name, owner]).toEqual([name, expect.not.stringMatching(/local-admin|"from"|2\.0\.0/)]);
    expect(found.changes.records.every(({ by }: { by: unknown }) => by === null)).toBe(true);
  }
});

const path = (workflow: string, run: string) =>
  `${workflowsPath}/${workflow}/runs/${run}/diagnosis`;
const start = (node: string) => ({ id: "start", type: "manual" as const, entry: node });

test("A diagnosis says for what a run waits, who cancelled it, and why it was refused", async () => {
  const user = await hub.addUser();
  const workflow = await hub.publish(user, {
    triggers: [start("pause")],
    nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
    settings: { queue: { policy: "drop" } },
  });
  const runs = `${workflowsPath}/${workflow}/runs`;
  const { run_id: run } = await hub.ask(user, "POST", runs, {});
  await hub.awaitRun(workflow, run, /waiting/);
  const diagnose = async (id: string) => await hub.ask(user, "GET", path(workflow, id));
  expect(await diagnose(run)).toMatchObject({
    summary: "The run waits at `pause` for its time.",
    meaning: null,
    changes: null,
    step: { node_id: "pause", state: "waiting" },
  });
  await hub.hub.request("POST", runs, { headers: user.headers, body: {} });
  const list = await hub.ask(user, "GET", `${runs}?state=dropped`);
  expect((await diagnose(list.runs[0].id)).summary).toBe(
    "The run was refused, so nothing ran: another run was active, and the queue policy of the workflow is drop.",
  );
  await hub.hub.request("POST", runs, { headers: user.headers, body: {} });
  const [first] = (await hub.ask(user, "GET", `${runs}?state=dropped`)).runs;
  expect((await diagnose(first.id)).summary).toStartWith(
    first.dropped_runs === 1
      ? "The run was refused, so nothing ran"
      : "2 runs were refused within a minute and share this record, so nothing ran",
  );
  await hub.ask(user, "POST", `${runs}/${run}/cancel`);
  await hub.awaitRun(workflow, run, /cancelled/);
  expect((await diagnose(run)).summary).toContain(`cancelled by ${user.user.email}`);
});

test("The last success is an earlier live run, not a dry run or a run of another workflow", async () => {
  const user = await hub.addUser();
  const body = {
    triggers: [start("check")],
    nodes: [{ id: "check", type: "set" as const, value: "{{len .Event.Payload.list}}" }],
  };
  const [workflow, other] = [await hub.publish(user, body), await hub.publish(user, body)];
  const runs = `${workflowsPath}/${workflow}/runs`;
  const good = { payload: { list: [1] } };
  await hub.run(user, other, good.payload);
  const dry = await hub.ask(user, "POST", runs, { ...good, dry_run: true });
  await hub.awaitRun(workflow, dry.run_id);
  const first = await hub.run(user, workflow, { list: 1 });
  expect((await hub.ask(user, "GET", path(workflow, first.id))).last_success).toBeNull();
  const worked = await hub.run(user, workflow, good.payload);
  const second = await hub.run(user, workflow, { list: 1 });
  // A later success does not count.
  await hub.run(user, workflow, good.payload);
  const { last_success: last } = await hub.ask(user, "GET", path(workflow, second.id));
  expect(last.run_id).toBe(worked.id);
});

test("A diagnosis counts the earlier runs that it has looked at, and says plainly if there are none", async () => {
  const user = await hub.addUser();
  const workflow = await hub.publish(user, {
    triggers: [start("check")],
    nodes: [{ id: "check", type: "set" as const, value: "{{len .Event.Payload.list}}" }],
  });
  const diagnose = async (payload: object) => {
    const { id } = await hub.run(user, workflow, payload);
    const { runs_searched: searched, sentences } = await hub.ask(user, "GET", path(workflow, id));
    return [searched, sentences.join(" ")];
  };
  const failing = { list: 1 };
  expect(await diagnose(failing)).toEqual([
    0,
    expect.stringContaining("No earlier run of the workflow is kept"),
  ]);
  expect(await diagnose(failing)).toEqual([
    1,
    expect.stringContaining("`check` did not succeed in the run before, which is the only"),
  ]);
  expect(await diagnose(failing)).toEqual([
    2,
    expect.stringContaining("did not succeed in any of the 2 runs before"),
  ]);
  await hub.run(user, workflow, { list: [1] });
  await diagnose(failing);
  expect(await diagnose(failing)).toEqual([2, expect.stringContaining("last succeeded at")]);
});

test("Who only shares a tag with the workflow gets no diagnosis and no explanation", async () => {
  const [user, reader] = [await hub.addUser(), await hub.addUser({ tags: ["shared"] })];
  const workflow = await hub.publish(
    user,
    { triggers: [start("a")], nodes: [{ id: "a", type: "fail", message: "No." }] },
    { tags: ["shared"] },
  );
  const { id: run } = await hub.run(reader, workflow);
  for (const one of [path(workflow, run), `${workflowsPath}/${workflow}/explanation`]) {
    const answer = await hub.hub.request("GET", one, { headers: reader.headers });
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
  }
});

test("A failure that led to a later node is named, and an item that failed", async () => {
  const user = await hub.addUser();
  const workflow = await hub.publish(user, {
    triggers: [start("each")],
    nodes: [
      {
        id: "each",
        type: "code",
        for_each: "{{.Event.Payload.list}}",
        source: "if (item > 1) throw new Error('too many'); return item",
        on_error: "route",
      },
      { id: "stop", type: "fail", message: "It did not work." },
    ],
    edges: [{ from: "each", to: "stop", case: "error" }],
  });
  const { id } = await hub.run(user, workflow, { list: [1, 2] });
  const { step, led_by: ledBy, markdown } = await hub.ask(user, "GET", path(workflow, id));
  expect(step).toMatchObject({ node_id: "stop", error: { code: "run_failed" } });
  expect(ledBy).toMatchObject([{ node_id: "each" }]);
  expect(markdown).toContain("The earlier step `each` failed first");
});

test("A cron expression is previewed in words with its next ticks, in its time zone", async () => {
  const user = await hub.addUser();
  const preview = (schedule: string, timezone: string) =>
    hub.hub.request(
      "GET",
      `/manager/api/workflow-schedule?${new URLSearchParams({ schedule, timezone })}`,
      { headers: user.headers },
    );
  const { body } = await preview("0 30 9 * * MON-FRI", "Asia/Tokyo");
  expect(body).toMatchObject({ words: "Every weekday at 09:30", timezone: "Asia/Tokyo" });
  expect(body.ticks).toHaveLength(5);
  for (const { at, local_time: local } of body.ticks) {
    expect(at).toContain("T00:30:00");
    expect(local).toEndWith("T09:30:00+09:00");
  }
  expect(await preview("0 9 * * *", "UTC")).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("A schedule has six fields") },
  });
  expect((await preview("0 0 9 * * *", "Mars/Base")).status).toBe(400);
});

test("An explanation names a row that its reader does not see by its id only", async () => {
  const user = await hub.addUser({ tags: ["words"] });
  const row = await hub.hub.addRow("Secret label", ["words"]);
  const call = { id: "call", type: "operation" as const, tool_id: `conn:${row.id}/greet` };
  const workflow = await hub.publish(user, {
    triggers: [start("call")],
    nodes: [{ ...call, params: { name: "Ada" } }],
  });
  const explain = async (reader: WorkflowUser, version = "1") =>
    await hub.ask(reader, "GET", `${workflowsPath}/${workflow}/explanation?version=${version}`);
  expect((await explain(user)).markdown).toContain("of the row `Secret label`");
  await hub.hub.admin.rows.set(row.id, { tags: [] });
  const { markdown } = await explain(user, "draft");
  expect(markdown).not.toContain("Secret label");
  expect(markdown).toContain(`\`greet\` of the row \`${row.id}\`, of which you see no more.`);
});
