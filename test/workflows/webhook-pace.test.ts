/** The pace of webhooks: it is checked before a body is read, and only who may start runs uses it up. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { openRaw, toRequest } from "../support/raw-http.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const secret = "sign-k3y/of+the=hook-0123";
let flows: WorkflowHub;

beforeAll(async () => {
  flows = await startWorkflowHub({ env: { HUB_WORKFLOW_REQUESTS_PER_MINUTE: "1" } });
});
afterAll(() => flows[Symbol.asyncDispose]());

test("A stranger without the signature does not use up a workflow's pace, and a full pace is refused before the body is read", async () => {
  const id = await flows.publish(
    {
      triggers: [{ id: "hook", type: "webhook", entry: "out", secret_ref: "SIGN" }],
      nodes: [{ id: "out", type: "set", value: 1 }],
    },
    { secrets: { SIGN: secret } },
  );
  const body = '{"order":1}';
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const send = (sent: string) =>
    flows.send(id, "", {
      body,
      headers: { "content-type": "application/json", "x-hub-sig": sent },
    });

  for (let count = 0; count < 20; count += 1) expect((await send("sha256=00")).status).toBe(401);
  expect((await send(signature)).status).toBe(202);
  const refused = await send(signature);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

  // The answer does not wait for the body.
  await using raw = await openRaw(flows.hub.port);
  const headers = [`Host: 127.0.0.1:${flows.hub.port}`, "Content-Length: 10000000"];
  raw.send(toRequest(`POST /webhook/${id}/ HTTP/1.1`, headers));
  const early = await raw.answer();
  expect(early?.status).toBe(429);
  expect(Number(early?.headers["retry-after"])).toBeGreaterThan(0);
});
