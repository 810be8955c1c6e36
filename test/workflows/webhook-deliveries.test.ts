/** What the owner of a workflow sees of the requests to its webhooks. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { WebhookDelivery, WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import { startCommandProcess } from "../support/command-process.ts";
import { queryDatabase } from "../support/query-database.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
/** The hub's address for clients. */
let base = "";
beforeAll(async () => {
  flows = owned.use(await startWorkflowHub({ isHere: true }));
  base = `http://localhost:${flows.hub.port}`;
});
afterAll(() => owned.disposeAsync());

const secret = "sign-with-this-0123456789";
const sign = (text: string) => `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
const hook = { id: "hook", type: "webhook", entry: "out" } as const;
const set = { id: "out", type: "set", value: "{{.Event.Payload.raw}}" } as const;

async function listDeliveries(id: string, query = ""): Promise<WebhookDelivery[]> {
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/deliveries${query}`);
  return body.deliveries as WebhookDelivery[];
}

async function listWebhooks(id: string): Promise<WorkflowWebhook[]> {
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/webhooks`);
  return body.webhooks as WorkflowWebhook[];
}

test("An accepted request is listed with its trigger, delivery id, signature, answer and run", async () => {
  const id = await flows.publish(
    {
      triggers: [
        { ...hook, path: "a/b", secret_ref: "SIGN", respond_mode: "respond_node" },
        { ...hook, id: "plain", entry: "bad" },
      ],
      nodes: [
        { id: "out", type: "webhook_respond", respond_status: 418, respond_body: "no" },
        { id: "bad", type: "set", value: 1 },
      ],
      edges: [],
    },
    { secrets: { SIGN: secret } },
  );
  const init = {
    body: "hello",
    headers: { "x-hub-sig": sign("hello"), "x-github-delivery": "d-1" },
  };
  const first = await flows.send(id, "a/b", init);
  await flows.send(id, "a/b", init);
  const plain = await flows.send(id, "elsewhere", { isTest: true });
  const [third, second, oldest] = await listDeliveries(id);
  expect(oldest).toEqual({
    id: expect.any(String),
    outcome: "accepted",
    reason: null,
    explanation: null,
    requests: 1,
    first_at: expect.any(String),
    at: expect.any(String),
    trigger_id: "hook",
    is_test: false,
    method: "POST",
    path: "a/b",
    delivery_id: "d-1",
    is_repeated: false,
    signature: "valid",
    status: 418,
    code: null,
    message: null,
    run_id: first.headers.get("x-hub-run-id"),
    duration_ms: expect.any(Number),
    body_bytes: 5,
  } as WebhookDelivery);
  expect(second).toMatchObject({ is_repeated: true, status: 418, run_id: oldest?.run_id });
  expect(third).toMatchObject({
    trigger_id: "plain",
    is_test: true,
    path: "elsewhere",
    signature: "none",
    status: 202,
    run_id: plain.headers.get("x-hub-run-id"),
    body_bytes: 0,
    delivery_id: null,
  });
  const page = await flows.api("GET", `/manager/api/workflows/${id}/deliveries?limit=2`);
  expect(page.body.deliveries).toHaveLength(2);
  expect(await listDeliveries(id, `?limit=2&after=${page.body.next}`)).toHaveLength(1);
  expect(await listDeliveries(id, "?trigger=plain")).toHaveLength(1);
});

test("A run that fails after it was accepted is listed with the answer that the sender got", async () => {
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [{ id: "out", type: "fail", message: "No stock" }],
    edges: [],
  });
  await flows.send(id);
  const [failed] = await listDeliveries(id, "?outcome=accepted");
  expect(failed).toMatchObject({ status: 500, code: "run_failed", message: "No stock" });
});

test("Each refusal tells the owner its reason, which the sender does not learn", async () => {
  const signed = { ...hook, path: "signed", secret_ref: "SIGN" } as const;
  const id = await flows.publish(
    {
      triggers: [
        signed,
        { ...signed, id: "timed", path: "timed", replay_window_s: 60 },
        { ...hook, id: "plain", path: "plain" },
      ],
      nodes: [set],
      edges: [],
    },
    { secrets: { SIGN: secret } },
  );
  const send = async (slug: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    (await flows.send(id, slug, { body: "x", headers, ...init })).status;
  const now = Math.floor(Date.now() / 1000);
  const timed = (at: number) => ({ "x-hub-sig": sign("x"), "x-hub-timestamp": `${at}` });
  const json = { "content-type": "application/json" };
  const cases: [string, string | null, () => Promise<number>, number][] = [
    ["no_trigger", null, () => send("other"), 404],
    ["no_trigger", null, () => send("plain", {}, { method: "PUT" }), 404],
    ["signature_missing", "hook", () => send("signed"), 401],
    ["signature_wrong", "hook", () => send("signed", { "x-hub-sig": sign("y") }), 401],
    ["timestamp_missing", "timed", () => send("timed", { "x-hub-sig": sign("x") }), 401],
    ["timestamp_outside_window", "timed", () => send("timed", timed(now - 1000)), 401],
    ["timestamp_signature_wrong", "timed", () => send("timed", timed(now)), 401],
    ["bad_request", "plain", () => send("plain", json), 400],
    ["body_too_large", "plain", () => send("plain", {}, { body: new Uint8Array(10_485_761) }), 413],
  ];
  for (const [reason, trigger, attempt, status] of cases) {
    expect([reason, await attempt()]).toEqual([reason, status]);
    const [newest] = await listDeliveries(id, "?outcome=refused");
    expect(newest).toMatchObject({ reason, trigger_id: trigger, status, run_id: null });
    expect(newest?.explanation).toEqual(expect.any(String));
  }
  const path = `/manager/api/workflows/${id}`;
  await flows.api("DELETE", `${path}/secrets/SIGN`);
  expect(await send("signed", { "x-hub-sig": sign("x") })).toBe(401);
  expect((await listDeliveries(id))[0]).toMatchObject({ reason: "secret_not_set", status: 401 });
  await flows.api("POST", `${path}/disable`);
  expect(await send("plain")).toBe(404);
  expect((await listDeliveries(id))[0]).toMatchObject({ reason: "disabled", status: 404 });
  const made = await flows.api("POST", "/manager/api/workflows", {
    name: "Draft",
    body: { triggers: [hook], nodes: [set] },
  });
  await flows.send(String(made.body.id));
  const [unpublished] = await listDeliveries(String(made.body.id));
  expect(unpublished).toMatchObject({ reason: "not_published", trigger_id: null });
});

test("A stranger's requests fill no table: they are counted, and accepted ones stay in the list", async () => {
  const id = await flows.publish(
    { triggers: [{ ...hook, path: "a", secret_ref: "SIGN" }], nodes: [set], edges: [] },
    { secrets: { SIGN: secret } },
  );
  await flows.send(id, "a", { body: "x", headers: { "x-hub-sig": sign("x") } });
  for (let round = 0; round < 5; round += 1) {
    const attempts = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0 ? flows.send(id, "a", { body: `${at}` }) : flows.send(id, `b${round}/${at}`),
    );
    await Promise.all(attempts);
  }
  const deliveries = await listDeliveries(id);
  expect(deliveries.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
  expect(
    deliveries
      .flatMap(({ reason, requests }) => (reason === null ? [] : [[reason, requests]]))
      .sort(),
  ).toEqual([
    ["no_trigger", 150],
    ["signature_missing", 150],
  ]);
  await flows.send("never-was-here", "a");
  const rows = queryDatabase<{ count: number }>(
    flows.hub.dataDir,
    "select count(*) as count from webhook_requests where workflow_id = 'never-was-here'",
  );
  expect(rows[0]?.count).toBe(0);
});

test("A secret of the workflow that a sender repeats is not in the list, also in another encoding", async () => {
  const id = await flows.publish(
    { triggers: [{ ...hook, secret_ref: "SIGN" }], nodes: [set], edges: [] },
    { secrets: { SIGN: secret } },
  );
  const signed = { "x-hub-sig": sign("x") };
  const encoded = Buffer.from(secret).toString("base64url");
  for (const headers of [{}, signed]) {
    for (const text of [secret, encoded]) {
      const delivery = { ...headers, "x-hub-delivery": `d-${text}` };
      await flows.send(id, `p/${text}`, { body: "x", headers: delivery });
    }
  }
  const [newest] = await listDeliveries(id, "?outcome=accepted");
  expect(newest).toMatchObject({ path: "p/[secret]", delivery_id: "d-[secret]" });
  const stored = JSON.stringify(
    queryDatabase(flows.hub.dataDir, `select * from webhook_requests where workflow_id = '${id}'`),
  );
  expect(stored).toContain("signature_missing");
  for (const text of [secret, encoded]) expect(stored).not.toContain(text);
});

test("A run that the queue policy drops is listed as refused, with its run", async () => {
  const id = await flows.publish({
    triggers: [hook],
    nodes: [{ id: "out", type: "wait", seconds: 3600 }],
    edges: [],
    settings: { queue: { policy: "drop" } },
  });
  await flows.send(id);
  expect((await flows.send(id)).status).toBe(429);
  const [dropped] = await listDeliveries(id);
  expect(dropped).toMatchObject({
    outcome: "refused",
    reason: "too_many_runs",
    status: 429,
    code: "rate_limited",
    run_id: expect.any(String),
  });
});

test("The list survives a restart of the hub", async () => {
  const restarted = await startWorkflowHub({ isHere: true });
  try {
    const id = await restarted.publish({ triggers: [hook], nodes: [set], edges: [] });
    expect((await restarted.send(id)).status).toBe(202);
    await restarted.hub.stop();
    const rows = queryDatabase<{ status: number }>(
      restarted.hub.dataDir,
      "select status from webhook_requests",
    );
    expect(rows).toEqual([{ status: 202 }]);
  } finally {
    await restarted[Symbol.asyncDispose]();
  }
});

test("A workflow shows both addresses of each webhook, and the published ones after publishing only", async () => {
  const draft = { triggers: [{ ...hook, path: "a/b~c" }], nodes: [set], edges: [] };
  const made = await flows.api("POST", "/manager/api/workflows", { name: "Two", body: draft });
  const id = String(made.body.id);
  const url = `${base}/webhook-test/${id}/a/b~c`;
  expect(await listWebhooks(id)).toMatchObject([{ trigger_id: "hook", live: null, test: { url } }]);
  await flows.api("POST", `/manager/api/workflows/${id}/publish`, { revision: 1 });
  await flows.api("PUT", `/manager/api/workflows/${id}/draft`, {
    revision: 1,
    body: { ...draft, triggers: [{ ...hook, id: "other", method: ["GET", "PUT"] }] },
  });
  expect(await listWebhooks(id)).toMatchObject([
    {
      trigger_id: "hook",
      test: null,
      live: { url: url.replace("webhook-test", "webhook"), methods: ["POST"], path: "a/b~c" },
    },
    {
      trigger_id: "other",
      live: null,
      test: { url: `${base}/webhook-test/${id}`, methods: ["GET", "PUT"] },
    },
  ]);
});

test.each([
  ["no signature", {}, {}],
  ["a signature", { secret_ref: "SIGN" }, {}],
  ["a signature with a timestamp", { secret_ref: "SIGN", replay_window_s: 60 }, {}],
  ["a signature without a body", { secret_ref: "SIGN", replay_window_s: 60 }, { method: "GET" }],
])("The curl commands of a webhook with %s are accepted by the hub", async (_, needed, fields) => {
  const id = await flows.publish(
    { triggers: [{ ...hook, ...needed, ...fields } as typeof hook], nodes: [set], edges: [] },
    { secrets: { SIGN: secret } },
  );
  const [webhook] = await listWebhooks(id);
  for (const address of [webhook?.live, webhook?.test]) {
    const curl = address?.curl ?? "";
    expect(curl).not.toContain(secret);
    expect(await runShell(curl, { SECRET: secret })).toBe('{"matched":1}');
    const signature = "secret_ref" in needed ? "valid" : "none";
    expect((await listDeliveries(id))[0]).toMatchObject({ outcome: "accepted", signature });
    if (signature === "valid") {
      expect(await runShell(curl, { SECRET: "another" })).toContain('"unauthorized"');
    }
  }
});

test.each([
  ["github", {}],
  ["gitlab", {}],
  ["shopify", {}],
  ["stripe", {}],
  ["slack", {}],
  ["standard", {}],
  ["twilio", {}],
  ["twilio", { method: "GET" }],
  ["basic", {}],
  ["bearer", {}],
  ["header", { signature_header: "X-Api-Key" }],
])("The curl commands of %s are accepted, and neither the secret nor a signature is kept", async (signature, fields) => {
  const key = `whsec_${Buffer.from("a-secret-of-the-sender-0123456789").toString("base64")}`;
  const used = signature === "standard" ? key : "sender:a-secret-of-the-sender-0123456789";
  const given = { secret_ref: "SIGN", signature, respond_mode: "last_node", ...fields };
  const trigger = { ...hook, ...given } as typeof hook;
  const value = "{{.Event.Payload.headers}}";
  const id = await flows.publish(
    {
      triggers: [trigger],
      nodes: [{ ...set, value }],
      edges: [],
    },
    { secrets: { SIGN: used } },
  );
  const [webhook] = await listWebhooks(id);
  const curl = webhook?.live?.curl ?? "";
  const kept = Object.keys(JSON.parse(await runShell(curl, { SECRET: used })));
  expect(kept).toContain("user-agent");
  expect(kept.filter((name) => /sig|hmac|token|authorization|api-key/.test(name))).toEqual([]);
  expect((await listDeliveries(id))[0]).toMatchObject({ outcome: "accepted", signature: "valid" });
  const refused = await runShell(curl, {
    SECRET: signature === "standard" ? "whsec_b3RoZXI=" : "another:one",
  });
  expect(JSON.parse(refused)).toMatchObject({ code: "unauthorized" });
});

test("A preset without a secret is not published, and Basic asks for the password", async () => {
  const body = { triggers: [{ ...hook, signature: "basic" }], nodes: [set], edges: [] };
  const made = await flows.api("POST", "/manager/api/workflows", { name: "Open", body });
  const path = `/manager/api/workflows/${made.body.id}/publish`;
  const refused = await flows.api("POST", path, { revision: 1 });
  expect(refused.status).toBe(400);
  expect(refused.body.problems).toContainEqual(
    expect.objectContaining({ path: "/triggers/0/signature", severity: "error" }),
  );
  const fields = { signature: "basic", secret_ref: "SIGN" };
  const trigger = { ...hook, ...fields } as typeof hook;
  const id = await flows.publish(
    { triggers: [trigger], nodes: [set], edges: [] },
    { secrets: { SIGN: "sender:0123456789-0123456789" } },
  );
  const answer = await flows.send(id);
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
    401,
    'Basic realm="webhook"',
  ]);
});

test("The path of a draft, which can be any text, is no command of a shell", async () => {
  const made = await flows.api("POST", "/manager/api/workflows", {
    name: "Odd path",
    body: { triggers: [{ ...hook, path: "it's/$(id)/`id`/a&b ü" }], nodes: [set] },
  });
  const [webhook] = await listWebhooks(String(made.body.id));
  expect(await runShell(webhook?.test?.curl ?? "", {})).toBe('{"matched":1}');
});

test("The command line shows the addresses and the deliveries of a workflow", async () => {
  await using commands = startCommandProcess({ dataDir: flows.hub.dataDir });
  const print = async (...argv: string[]) => (await commands.run({ argv })).stdout;
  const id = await flows.publish(
    { triggers: [{ ...hook, secret_ref: "SIGN" }], nodes: [set], edges: [] },
    { secrets: { SIGN: secret } },
  );
  const shown = await print("workflow", "webhooks", id);
  expect(shown).toContain(`hook (published): POST ${base}/webhook/${id}\n`);
  expect(shown).toContain(`hook (draft): POST ${base}/webhook-test/${id}\n`);
  expect(shown).toContain('openssl dgst -sha256 -hmac "$SECRET"');
  expect(await print("workflow", "deliveries", id)).toBe("There were no requests.\n");
  await flows.send(id, "x", { body: "y", headers: { "x-hub-sig": sign("y") } });
  await flows.send(id, "x");
  // Reading the list over the API writes what the server has recorded.
  await listDeliveries(id);
  const lines = (await print("workflow", "deliveries", id)).split("\n");
  expect(lines[1]).toMatch(/hook +POST x +- +401 +signature_missing × 1 +- +\d+$/);
  expect(lines[2]).toMatch(/hook +POST x +- +202 +- +[0-9a-f-]{36} +\d+$/);
  const refused = ["workflow", "deliveries", id, "--outcome", "refused", "--json"];
  expect(JSON.parse(await print(...refused))).toMatchObject([{ reason: "signature_missing" }]);
});

test("A secret's name in a draft does not become a command", async () => {
  const trigger = { ...hook, secret_ref: "X\necho owned\n" };
  const made = await flows.api("POST", "/manager/api/workflows", {
    name: "Odd",
    body: { triggers: [trigger], nodes: [set] },
  });
  const [webhook] = await listWebhooks(String(made.body.id));
  expect(webhook?.test?.curl).not.toContain("owned");
});

async function runShell(script: string, env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(["sh", "-eu"], {
    stdin: Buffer.from(script),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, err]).toEqual([0, ""]);
  return out;
}
