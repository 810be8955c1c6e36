/** `http` nodes of workflows through a running hub, against a real HTTP server. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
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
  const env = { HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1" };
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

/** What arrives at a TCP port, answered once a request's `Content-Length` is there. */
async function openByteServer() {
  const arrived: Buffer[] = [];
  const listener = createServer((socket) => {
    socket.on("error", () => {});
    let got = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      const end = got.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(got.toString("latin1", 0, end))?.[1]);
      if (end < 4 || got.length < end + length) return;
      arrived.push(got);
      got = Buffer.alloc(0);
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    });
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  const close = () => new Promise<void>((resolve) => listener.close(() => resolve()));
  return { arrived, port: address.port, [Symbol.asyncDispose]: close };
}

test("A zip of 5 MiB passes from a webhook to a server byte for byte", async () => {
  await using files = await openByteServer();
  const url = `http://127.0.0.1:${files.port}/backup.zip`;
  const upload = request({
    method: "PUT",
    url,
    body: undefined,
    body_base64: "{{.Event.Payload.raw_base64}}",
    headers: { "Content-Type": '{{index .Event.Payload.headers "content-type"}}' },
  });
  const zip = Buffer.alloc(5 * 1024 * 1024);
  // With all values of a byte, and no repetition that could hide a wrong order.
  for (let at = 0; at < zip.length; at += 1) zip[at] = (at * 31 + (at >> 8)) % 256;
  zip.write("PK\x03\x04", "latin1");
  const answer = await flows.send(await flows.publish(bodyOf(upload)), "", {
    headers: { "content-type": "application/zip" },
    body: zip,
  });
  expect([answer.status, Object(await answer.json()).status]).toEqual([200, 200]);
  expect(files.arrived).toHaveLength(1);
  const [sent = Buffer.alloc(0)] = files.arrived;
  const head = sent.toString("latin1", 0, sent.indexOf("\r\n\r\n")).toLowerCase();
  expect(head).toStartWith("put /backup.zip http/1.1");
  expect(head).toContain("content-type: application/zip");
  expect(head).toContain(`content-length: ${zip.length}`);
  expect(sent.subarray(-zip.length).equals(zip)).toBe(true);
});

test("Bytes with a secret of the workflow in them are not sent without it", async () => {
  await using files = await openByteServer();
  const url = `http://127.0.0.1:${files.port}/`;
  const upload = request({ url, body: undefined, body_base64: "{{.Event.Payload.raw_base64}}" });
  const answer = await flows.send(await flows.publish(bodyOf(upload), { secrets }), "", {
    headers: { "content-type": "application/zip" },
    body: Buffer.concat([Uint8Array.from([0xff, 0]), Buffer.from(secrets.KEY)]),
  });
  expect(answer.status).toBe(500);
  expect(readAudit(flows.hub.dataDir).at(-1)?.error_msg).toContain("decrypted in texts only");
  expect(files.arrived).toEqual([]);
});

test("An address that is not allowed is refused", async () => {
  const id = await flows.publish(bodyOf(request({ url: "http://127.0.0.2/" })), { secrets });
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
