/**
 * Lines of the specification's tables of triggers, events, states and limits, and of the limits that the design
 * adds to them, through the hub's doors. Those of webhooks alone are in `webhooks.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { WorkflowRun, WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import { queryDatabase } from "../support/query-database.ts";
import { openRaw } from "../support/raw-http.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
beforeAll(async () => {
  flows = owned.use(
    await startWorkflowHub({ isHere: true, env: { HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1" } }),
  );
});
afterAll(() => owned.disposeAsync());

type Trigger = NonNullable<WorkflowBodyInput["triggers"]>[number];
const hook: Trigger = { id: "hook", type: "webhook", entry: "out" };
const manual: Trigger = { id: "start", type: "manual", entry: "out" };
const set = (value: unknown) => ({ id: "out", type: "set" as const, value });
const event = set("{{.Event}}");
const path = (id: string, rest = "") => `/manager/api/workflows/${id}${rest}`;
const change = (statement: string) => queryDatabase(flows.hub.dataDir, statement);

async function listRuns(id: string): Promise<WorkflowRun[]> {
  const { body } = await flows.api("GET", path(id, "/runs"));
  // Safe: the API's answer has this shape.
  return body.runs as WorkflowRun[];
}

async function showRun(id: string, runId: string): Promise<WorkflowRunDetail> {
  const { body } = await flows.api("GET", path(id, `/runs/${runId}`));
  // Safe: the API's answer has this shape.
  return body as unknown as WorkflowRunDetail;
}

/** Waits until a run of the workflow has ended, and returns it with its steps. */
async function findEnded(id: string): Promise<WorkflowRunDetail> {
  const run = await waitFor(async () => (await listRuns(id)).find(({ ended_at: at }) => at));
  return await showRun(id, run.id);
}

async function findOutput(id: string): Promise<unknown> {
  return (await findEnded(id)).steps?.at(-1)?.output;
}

const start = (id: string, payload: unknown = {}) =>
  flows.api("POST", path(id, "/runs"), { payload, wait_s: 30 });

async function validate(trigger: Record<string, unknown>) {
  const body = { triggers: [{ id: "t", entry: "out", ...trigger }], nodes: [set(1)] };
  const { body: answer } = await flows.api("POST", path("validate"), { body });
  // Safe: the API's answer has this shape.
  const problems = answer.problems as Array<{ path: string; severity: string }>;
  return problems.map(({ severity, path }) => `${severity} ${path}`);
}

describe("Workflow trigger record", () => {
  test("cron: schedule is a cron expression of six fields", async () => {
    expect(await validate({ type: "cron", schedule: "0 30 9 * * 1-5" })).toEqual([]);
    for (const schedule of ["30 9 * * *", "0 0 30 9 * * *", "@daily", "", "0 61 * * * *"]) {
      const found = await validate({ type: "cron", schedule });
      expect([schedule, found]).toEqual([schedule, ["error /triggers/0/schedule"]]);
    }
  });

  test("channel: channel, event and match are its fields, and a channel that the owner does not see stops the publication", async () => {
    const channel = { type: "channel", channel: "slack", event: "message" };
    const match = { channel_ids: ["C1"], text_contains: ["help"] };
    expect(await validate({ ...channel, match })).toEqual(["warning /triggers/0/channel"]);
    expect(await validate({ ...channel, matches: {} })).toContain("error /triggers/0/matches");
    const made = await flows.api("POST", "/manager/api/workflows", {
      name: "Chat",
      body: { triggers: [{ id: "t", entry: "out", ...channel, match }], nodes: [set(1)] },
    });
    const refused = await flows.api("POST", path(String(made.body.id), "/publish"), {
      revision: 1,
    });
    expect(refused.status).toBe(400);
    expect(refused.body.problems).toMatchObject([
      { path: "/triggers/0/channel", severity: "error" },
    ]);
  });

  test("webhook: path, method, secret_ref and respond_mode are its fields, and others are refused", async () => {
    const webhook = { type: "webhook", path: "a", method: "PUT", respond_mode: "last_node" };
    expect(await validate(webhook)).toEqual([]);
    for (const [field, value] of [
      ["slug", "a"],
      ["respond_mode", "later"],
      ["method", "HEAD"],
      ["method", []],
    ] as const) {
      const [problem] = await validate({ ...webhook, [field]: value });
      expect([field, problem]).toEqual([field, `error /triggers/0/${field}`]);
    }
  });

  test("manual, schedule_at: there are no fields that they need", async () => {
    expect(await validate({ type: "manual" })).toEqual([]);
    expect(await validate({ type: "schedule_at" })).toEqual([]);
  });

  test("error: severity is an optional filter, of one or of several", async () => {
    const shop = await flows.publish({
      triggers: [{ ...hook, entry: "pick" }],
      nodes: [
        {
          id: "pick",
          type: "switch",
          value: "{{.Event.Payload.query.severity}}",
          cases: [{ case: "critical", op: "eq", right: "critical" }],
        },
        { id: "bad", type: "fail", message: "Bad", severity: "critical" },
        { id: "odd", type: "fail", message: "Odd", severity: "info" },
      ],
      edges: [
        { from: "pick", to: "bad", case: "critical" },
        { from: "pick", to: "odd", case: "default" },
      ],
    });
    const waiting = async (severity?: "info" | "critical" | ("warning" | "critical")[]) =>
      await flows.publish({
        triggers: [
          {
            id: "oops",
            type: "error",
            entry: "out",
            source_workflow: shop,
            ...(severity && { severity }),
          },
        ],
        nodes: [set("{{.Event.Payload.severity}}")],
      });
    const [any, info, several] = [
      await waiting(),
      await waiting("info"),
      await waiting(["warning", "critical"]),
    ];
    await flows.send(shop, "?severity=critical");
    expect(await findOutput(several)).toBe("critical");
    expect(await findOutput(any)).toBe("critical");
    // The runs of a failure are stored with it.
    expect(await listRuns(info)).toEqual([]);
    await flows.send(shop);
    expect(await findOutput(info)).toBe("info");
    expect(await listRuns(several)).toHaveLength(1);
    expect(await listRuns(any)).toHaveLength(2);
  });

  test("A workflow may carry several triggers, and each begins at its own entry", async () => {
    const id = await flows.publish({
      triggers: [
        { ...hook, entry: "one", respond_mode: "last_node" } as Trigger,
        { ...manual, entry: "two" },
      ],
      nodes: [
        { id: "one", type: "set", value: "of the webhook" },
        { id: "two", type: "set", value: "by hand" },
      ],
      edges: [],
    });
    expect(await (await flows.send(id)).json()).toBe("of the webhook");
    expect((await start(id)).body).toMatchObject({ state: "succeeded", output: "by hand" });
  });
});

describe("Every trigger contributes to the event: payload, source identity, ts, user", () => {
  const times = { At: expect.any(String), ts: expect.any(Number) };

  test("webhook", async () => {
    const id = await flows.publish({ triggers: [hook], nodes: [event] });
    await flows.send(id, "a", { body: "x" });
    expect(await findOutput(id)).toMatchObject({
      Type: "webhook",
      TriggerID: "hook",
      Source: "127.0.0.1",
      User: null,
      ...times,
      Payload: { path: "a", method: "POST", raw: "x" },
    });
  });

  test("manual", async () => {
    const id = await flows.publish({ triggers: [manual], nodes: [event] });
    expect((await start(id, { n: 1 })).body.output).toMatchObject({
      Type: "manual",
      TriggerID: "start",
      Source: null,
      User: "admin@localhost",
      ...times,
      Payload: { n: 1 },
    });
  });

  test("cron", async () => {
    const schedule = "* * * * * *";
    const id = await flows.publish({
      triggers: [{ id: "tick", type: "cron", entry: "out", schedule }],
      nodes: [event],
    });
    expect(await findOutput(id)).toMatchObject({
      Type: "cron",
      TriggerID: "tick",
      Source: null,
      User: null,
      ...times,
      Payload: { schedule, caught_up: false },
    });
    await flows.api("DELETE", path(id));
  });

  test("error: the payload has the failed run's run_id, error, node_id and event", async () => {
    const shop = await flows.publish({
      triggers: [hook],
      nodes: [{ id: "out", type: "fail", message: "No stock" }],
    });
    const alarm = await flows.publish({
      triggers: [{ id: "oops", type: "error", entry: "out", source_workflow: shop }],
      nodes: [event],
    });
    const sent = await flows.send(shop, "orders", { body: "tea" });
    expect(await findOutput(alarm)).toMatchObject({
      Type: "error",
      TriggerID: "oops",
      Source: shop,
      User: null,
      ...times,
      Payload: {
        run_id: sent.headers.get("x-hub-run-id"),
        workflow_id: shop,
        node_id: "out",
        error: { message: "No stock", code: "run_failed" },
        event: { Type: "webhook", Payload: { path: "orders", raw: "tea" } },
        depth: 1,
      },
    });
  });
});

test("A failed run of a draft fires error triggers of published workflows only if asked to", async () => {
  const shop = await flows.publish({
    triggers: [manual],
    nodes: [{ id: "out", type: "fail", message: "No stock" }],
  });
  const alarm = await flows.publish({
    triggers: [{ id: "oops", type: "error", entry: "out", source_workflow: shop }],
    nodes: [event],
  });
  const run = async (more: object) => {
    const { body } = await flows.api("POST", path(shop, "/runs"), { wait_s: 20, ...more });
    expect(body).toMatchObject({ state: "failed" });
    return String(body.run_id);
  };
  // Runs of error triggers are stored with the failure.
  const first = await run({ draft: true });
  expect(await listRuns(alarm)).toHaveLength(0);
  const again = await flows.api("POST", path(shop, `/runs/${first}/resume`), {});
  await waitFor(async () => (await listRuns(shop)).every(({ state }) => state === "failed"));
  expect([again.status, (await listRuns(shop)).length]).toEqual([200, 2]);
  expect(await listRuns(alarm)).toHaveLength(0);
  await run({ draft: true, error_triggers: true });
  expect(await listRuns(alarm)).toHaveLength(1);
  await run({});
  expect(await listRuns(alarm)).toHaveLength(2);
});

describe("The queue policy decides what happens when two runs land at once", () => {
  const napping = (settings: WorkflowBodyInput["settings"]) =>
    flows.publish({
      triggers: [hook],
      nodes: [{ id: "out", type: "wait", seconds: 3600 }],
      settings,
    });
  /** The states of the runs, the oldest first. */
  const readStates = async (id: string) => (await listRuns(id)).map(({ state }) => state).reverse();

  test("queue: one runs at a time, in order", async () => {
    const id = await napping({ queue: { policy: "queue" } });
    for (let count = 0; count < 3; count += 1) await flows.send(id);
    await waitFor(async () => (await readStates(id))[0] === "waiting");
    expect(await readStates(id)).toEqual(["waiting", "queued", "queued"]);
    const oldest = (await listRuns(id)).at(-1)?.id;
    await flows.api("POST", path(id, `/runs/${oldest}/cancel`));
    await waitFor(async () => (await readStates(id))[1] === "waiting");
    expect(await readStates(id)).toEqual(["cancelled", "waiting", "queued"]);
  });

  test("parallel: up to runs_at_once run, and the others wait", async () => {
    const arrived: string[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(req) {
        arrived.push(new URL(req.url).pathname);
        await released;
        return new Response("ok");
      },
    });
    const url = `http://127.0.0.1:${server.port}/{{.Event.Payload.path}}`;
    const id = await flows.publish({
      triggers: [hook],
      nodes: [{ id: "out", type: "http", url }],
      settings: { queue: { policy: "parallel", runs_at_once: 2 } },
    });
    for (const slug of ["a", "b", "c"]) expect((await flows.send(id, slug)).status).toBe(202);
    await waitFor(() => arrived.length === 2);
    expect(await readStates(id)).toEqual(["running", "running", "queued"]);
    release();
    await waitFor(async () => (await readStates(id)).every((state) => state === "succeeded"));
    expect(arrived.toSorted()).toEqual(["/a", "/b", "/c"]);
  });

  test("drop: the newcomer is refused while one runs, and accepted after it", async () => {
    const id = await napping({ queue: { policy: "drop" } });
    expect((await flows.send(id)).status).toBe(202);
    expect((await flows.send(id)).status).toBe(429);
    const oldest = (await listRuns(id)).at(-1)?.id;
    await flows.api("POST", path(id, `/runs/${oldest}/cancel`));
    expect((await flows.send(id)).status).toBe(202);
  });
});

describe("States and transitions", () => {
  test("A disabled workflow skips its ticks, its webhooks are 404, and manual runs still work", async () => {
    const id = await flows.publish({
      triggers: [hook, manual, { id: "tick", type: "cron", entry: "out", schedule: "* * * * * *" }],
      nodes: [set(1)],
    });
    const other = await flows.publish({
      triggers: [{ id: "tick", type: "cron", entry: "out", schedule: "* * * * * *" }],
      nodes: [set(1)],
    });
    await flows.api("POST", path(id, "/disable"));
    const before = (await listRuns(id)).length;
    const present = (await listRuns(other)).length;
    // The ticks of the other workflow show that the time has passed.
    await waitFor(async () => (await listRuns(other)).length > present + 1);
    expect(await listRuns(id)).toHaveLength(before);
    expect((await flows.send(id)).status).toBe(404);
    expect((await start(id)).body).toMatchObject({ state: "succeeded" });
    for (const one of [id, other]) await flows.api("DELETE", path(one));
  });

  test("A failed run fires every error trigger for its workflow, and none for another one", async () => {
    const [shop, other] = [
      await flows.publish({
        triggers: [hook],
        nodes: [{ id: "out", type: "fail", message: "No stock" }],
      }),
      await flows.publish({ triggers: [hook], nodes: [set(1)] }),
    ];
    const waiting = (source: string) =>
      flows.publish({
        triggers: [{ id: "oops", type: "error", entry: "out", source_workflow: source }],
        nodes: [set("{{.Event.Payload.workflow_id}}")],
      });
    const [one, two, unrelated] = [await waiting(shop), await waiting(shop), await waiting(other)];
    await flows.send(shop);
    expect([await findOutput(one), await findOutput(two)]).toEqual([shop, shop]);
    expect(await listRuns(unrelated)).toEqual([]);
  });
});

describe("Limits", () => {
  const sign = (secret: string, text: string) =>
    `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;

  test("A workflow takes 600 requests a minute, and then 429 with Retry-After; other workflows take theirs", async () => {
    const body = { triggers: [hook], nodes: [set(1)] };
    const [busy, other] = [await flows.publish(body), await flows.publish(body)];
    const sendMany = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => flows.send(busy)));
      return answers.map(({ status }) => status);
    };
    for (let sent = 0; sent < 600; sent += 100) {
      expect(new Set(await sendMany(100))).toEqual(new Set([202]));
    }
    // Ten more become free each second, which a busy machine can take one after another.
    const refused = await waitFor(async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => flows.send(busy)));
      return answers.find(({ status }) => status === 429);
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await flows.send(other)).status).toBe(202);
  });

  test("Requests without the signature do not use up the requests of the sender who has it", async () => {
    const secret = "sign-with-this-0123456789";
    const id = await flows.publish(
      { triggers: [{ ...hook, secret_ref: "SIGN" } as Trigger], nodes: [set(1)] },
      { secrets: { SIGN: secret } },
    );
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 61 }, () => flows.send(id)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    }
    const headers = { "x-hub-sig": sign(secret, "x") };
    expect((await flows.send(id, "", { body: "x", headers })).status).toBe(202);
  });

  test("Waiting payloads of a workflow have at most 256 MiB together, and then 429", async () => {
    const id = await flows.publish({
      triggers: [hook],
      nodes: [{ id: "out", type: "wait", seconds: 3600 }],
      settings: { queue: { policy: "queue" } },
    });
    for (let count = 0; count < 2; count += 1) await flows.send(id);
    const mebibyte = 1024 * 1024;
    change(
      `update workflow_runs set event_bytes = ${250 * mebibyte} where workflow_id = '${id}' and state = 'queued'`,
    );
    expect((await flows.send(id, "", { body: new Uint8Array(7 * mebibyte) })).status).toBe(429);
    expect((await flows.send(id, "", { body: new Uint8Array(5 * mebibyte) })).status).toBe(202);
  });

  test("A delivery id starts nothing for 24 hours, and then it starts a run", async () => {
    const id = await flows.publish({ triggers: [hook], nodes: [set(1)] });
    const send = async () => {
      const { headers } = await flows.send(id, "", { headers: { "x-hub-delivery": "d-1" } });
      return headers.get("x-hub-run-id");
    };
    const first = await send();
    await waitFor(async () => (await listRuns(id))[0]?.state === "succeeded");
    const age = (ms: number) =>
      change(
        `update workflow_deliveries set received_at = received_at - ${ms} where workflow_id = '${id}'`,
      );
    const dayMs = 86_400_000;
    age(dayMs - 60_000);
    expect(await send()).toBe(first);
    age(60_000);
    const second = await send();
    expect(second).not.toBe(first);
    expect(await send()).toBe(second);
  });

  test("Error triggers lead to one another at most 3 deep", async () => {
    const fail = { id: "out", type: "fail", message: "Bad {{.Event.Payload.depth}}" } as const;
    const chain = [await flows.publish({ triggers: [hook], nodes: [fail] })];
    for (let depth = 1; depth <= 4; depth += 1) {
      const source = chain.at(-1) ?? "";
      chain.push(
        await flows.publish({
          triggers: [{ id: "oops", type: "error", entry: "out", source_workflow: source }],
          nodes: [fail],
        }),
      );
    }
    const [first = "", , , third = "", fourth = ""] = chain;
    await flows.send(first);
    expect((await findEnded(third)).error).toMatchObject({ message: "Bad 3" });
    // A run of the fourth would have been stored with the failure of the third.
    expect(await listRuns(fourth)).toEqual([]);
  });

  test("A workflow has at most 1,000 scheduled runs, and at most 100 of them lead to one another", async () => {
    const at = "2099-01-01T00:00:00Z";
    const id = await flows.publish({
      triggers: [manual, { id: "at", type: "schedule_at", entry: "again" }],
      nodes: [
        { ...set({ schedule_at: at }), id: "out" },
        { ...set({ schedule_at: at, again: true }), id: "again" },
      ],
      edges: [],
    });
    const readWarnings = async (runId: unknown) =>
      (await showRun(id, String(runId))).steps?.flatMap(({ warnings }) => warnings);
    const first = await start(id);
    expect(await readWarnings(first.body.run_id)).toEqual([]);
    const columns =
      "workflow_id, body_id, version, state, owner_id, trigger_id, trigger_type, entry, started_by, error_depth, chain_depth, nesting, severity, created_at, due_at, scheduled_at, lease_number, active_ms, event_bytes, event";
    change(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 999)
       insert into workflow_runs (id, ${columns})
       select 'copy-${id}-' || n.i, ${columns} from n
       join workflow_runs r on r.workflow_id = '${id}' and r.state = 'queued'`,
    );
    const full = await start(id);
    expect(await readWarnings(full.body.run_id)).toEqual([
      expect.stringContaining("too many that wait"),
    ]);
    change(`delete from workflow_runs where id like 'copy-${id}-%'`);
    // Of two scheduled runs, one is the 100th that leads to another one.
    await start(id);
    const list = async () => {
      const { body } = await flows.api("GET", path(id, "/scheduled"));
      // Safe: the API's answer has this shape.
      return body.runs as Array<{ id: string; chain_depth: number }>;
    };
    const [deep, shallow] = await list();
    change(`update workflow_runs set chain_depth = 100 where id = '${deep?.id}'`);
    // Their time has come.
    change(`update workflow_runs set due_at = 1 where id in ('${deep?.id}', '${shallow?.id}')`);
    const findWarnings = async (runId: unknown) => {
      await waitFor(async () => (await showRun(id, String(runId))).state === "succeeded");
      return await readWarnings(runId);
    };
    expect(await findWarnings(deep?.id)).toEqual([expect.stringContaining("100 scheduled runs")]);
    expect(await findWarnings(shallow?.id)).toEqual([]);
    expect(await list()).toMatchObject([{ chain_depth: 2 }]);
  });
});

describe("Requests that are built to be read in two ways", () => {
  const echo = { ...hook, respond_mode: "last_node" } as Trigger;
  const payload = set("{{.Event.Payload}}");

  /** Sends a request as these bytes. */
  async function sendRaw(id: string, head: string[], body = "", method = "POST") {
    await using raw = await openRaw(flows.hub.port);
    const lines = [
      `${method} /webhook/${id}/a HTTP/1.1`,
      `host: 127.0.0.1:${flows.hub.port}`,
      `content-length: ${Buffer.byteLength(body)}`,
      ...head,
    ];
    raw.send(`${lines.join("\r\n")}\r\n\r\n${body}`);
    const answer = await raw.answer();
    return { status: answer?.status, body: answer?.body ?? "" };
  }

  test("Of a key that is in a JSON body twice, the last one counts, in the whole hub", async () => {
    const id = await flows.publish({ triggers: [echo], nodes: [payload] });
    const body = '{"a":1,"a":2,"body":3,"raw":4}';
    const headers = { "content-type": "application/json" };
    const answer = await (await flows.send(id, "", { body, headers })).json();
    expect(answer).toMatchObject({ body: { a: 2, body: 3, raw: 4 }, raw: body });
  });

  test("Of a name that is in a form or a query twice, the first one counts; repeated headers are joined", async () => {
    const id = await flows.publish({ triggers: [echo], nodes: [payload] });
    const head = ["content-type: application/x-www-form-urlencoded", "x-a: 1", "x-a: 2"];
    const { body } = await sendRaw(id, head, "a=1&a=2&body=3");
    expect(JSON.parse(body)).toMatchObject({
      body: { a: "1", body: "3" },
      headers: { "x-a": "1, 2" },
      raw: "a=1&a=2&body=3",
    });
  });

  test("A second signature beside a valid one is refused", async () => {
    const secret = "sign-with-this-0123456789";
    const id = await flows.publish(
      { triggers: [{ ...hook, secret_ref: "SIGN" } as Trigger], nodes: [set(1)] },
      { secrets: { SIGN: secret } },
    );
    const valid = `sha256=${createHmac("sha256", secret).update("x").digest("hex")}`;
    const forged = `sha256=${"0".repeat(64)}`;
    expect((await sendRaw(id, [`x-hub-sig: ${valid}`], "x")).status).toBe(202);
    for (const pair of [
      [valid, forged],
      [forged, valid],
    ]) {
      const head = pair.map((signature) => `x-hub-sig: ${signature}`);
      expect((await sendRaw(id, head, "x")).status).toBe(401);
    }
  });

  test("raw is always present: bytes that are not UTF-8 are replaced in it, and signed as they were sent", async () => {
    const secret = "sign-with-this-0123456789";
    const id = await flows.publish(
      { triggers: [{ ...echo, secret_ref: "SIGN" } as Trigger], nodes: [payload] },
      { secrets: { SIGN: secret } },
    );
    const body = new Uint8Array([0x61, 0xff, 0xfe, 0x00, 0x62]);
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = {
      "x-hub-sig": `sha256=${signature}`,
      "content-type": "application/octet-stream",
    };
    const response = await flows.send(id, "", { body, headers });
    const answer = Object(await response.json());
    expect([answer.raw, "body" in answer]).toEqual(["a\ufffd\ufffd\0b", false]);
  });

  test("OPTIONS and methods that no trigger can have are 404, HEAD is 200, and none starts a run", async () => {
    const method: ["GET", "POST", "PUT", "PATCH", "DELETE"] = [
      ...(["GET", "POST", "PUT", "PATCH", "DELETE"] as const),
    ];
    const id = await flows.publish({ triggers: [{ ...hook, method } as Trigger], nodes: [set(1)] });
    for (const [other, answered] of [
      ["HEAD", 200],
      ["OPTIONS", 404],
    ] as const) {
      const { status } = await flows.send(id, "a", { method: other });
      expect([other, status]).toEqual([other, answered]);
    }
    for (const other of ["TRACE", "PROPFIND"]) {
      expect([other, (await sendRaw(id, [], "", other)).status]).toEqual([other, 404]);
    }
    expect(await listRuns(id)).toEqual([]);
  });
});
