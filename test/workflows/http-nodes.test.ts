/** `http` nodes of workflows through a running hub, against a real HTTP server. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { readAudit } from "../support/audit.ts";
import { queryDatabase } from "../support/query-database.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

type Node = NonNullable<WorkflowBodyInput["nodes"]>[number];

const secrets = { PASSWORD: "pass-word-9f31", KEY: "key-value-77ab" };
const basic = `Basic ${Buffer.from(`ann:${secrets.PASSWORD}`).toString("base64")}`;

/** A server that wants credentials, and repeats what it got. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    if (req.headers.get("authorization") !== basic) return new Response(null, { status: 401 });
    const key = req.headers.get("idempotency-key");
    return Response.json({ password: secrets.PASSWORD, said: await req.text(), key });
  },
});

const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
beforeAll(async () => {
  const env = { HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` };
  flows = owned.use(await startWorkflowHub({ env }));
});
afterAll(async () => {
  await server.stop(true);
  await owned.disposeAsync();
});

const request = (fields: object = {}) =>
  ({
    id: "call",
    type: "http",
    method: "POST",
    url: `http://127.0.0.1:${server.port}/orders`,
    headers: { authorization: '{{basicAuth "ann" .Secret.PASSWORD}}' },
    body: { key: "{{.Secret.KEY}}", id: "{{.Event.Payload.body.id}}" },
    ...fields,
  }) as Node;
const bodyOf = (...nodes: Node[]): WorkflowBodyInput => ({
  schema: 1,
  triggers: [{ id: "hook", type: "webhook", entry: "call", respond_mode: "last_node" }],
  nodes,
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
});
const send = (id: string) =>
  flows.send(id, "", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: 7 }),
  });

test("basicAuth and secrets reach the server, and no answer, step or record shows them", async () => {
  const copy = { id: "copy", type: "set", value: "{{.Node.call.body}}" } as Node;
  const answer = await send(await flows.publish(bodyOf(request(), copy), { secrets }));
  expect(answer.status).toBe(200);
  const runId = answer.headers.get("x-hub-run-id");
  const told = JSON.parse(await answer.text());
  expect(told.key).toBe(`${runId}:call:-1:0`);
  expect(JSON.parse(told.said).id).toBe(7);
  const { hub } = flows;
  const steps = queryDatabase(hub.dataDir, "select * from workflow_steps");
  const runs = queryDatabase(hub.dataDir, "select * from workflow_runs");
  const audit = readAudit(hub.dataDir).filter(({ source }) => source === "workflow");
  expect(audit).toMatchObject([
    { connector_id: null, operation_key: "http", status: "success", http_status: 200 },
  ]);
  const kept = JSON.stringify([told, steps, runs, audit]);
  for (const text of [...Object.values(secrets), basic.slice(6)]) expect(kept).not.toContain(text);
});

test("An address that is not allowed is refused", async () => {
  const id = await flows.publish(bodyOf(request({ url: `${flows.hub.url}/` })), { secrets });
  const answer = await send(id);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: "run_failed" });
  const audit = readAudit(flows.hub.dataDir).at(-1);
  expect(audit).toMatchObject({ operation_key: "http", error_code: "invalid_params" });
  expect(audit?.error_msg).toContain("HUB_WORKFLOW_OUTBOUND_ALLOW");
});

test("A user who is no admin cannot publish an http node", async () => {
  await flows.hub.addUser("bob@example.com");
  const made = await flows.hub.cli(
    ...["token", "create", "--user", "bob@example.com", "--name", "m", "--scope", "manage"],
    "--json",
  );
  const { token: manage } = made.json<{ token: string }>();
  const path = "/manager/api/workflows";
  const body = bodyOf(request({ headers: {}, body: "x" }));
  const { body: workflow } = await flows.api("POST", path, { name: "Bob", body }, manage);
  const published = await flows.api(
    ...(["POST", `${path}/${workflow.id}/publish`, { revision: 1 }, manage] as const),
  );
  expect(published.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(published.body)).toContain("Only workflows of admins may have http nodes");
});
