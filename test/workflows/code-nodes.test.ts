/** Scripts of code nodes in a running hub: what reaches them, and what they can do to the hub. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

let flows: WorkflowHub;
beforeAll(async () => {
  flows = await startWorkflowHub();
});
afterAll(() => flows[Symbol.asyncDispose]());

const bodyOf = (source: string, more: object = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "key" }],
  nodes: [
    { id: "key", type: "set", value: { key: "{{.Secret.KEY}}" } },
    { id: "script", type: "code", source, ...more },
  ],
  edges: [{ from: "key", to: "script" }],
});

test("A secret reaches a script as its encrypted value only, and stays one", async () => {
  const body = bodyOf("return { kept: node.key.key, seen: JSON.stringify([event, node, env]) }");
  const id = await flows.publish(body, { secrets: { KEY: "s3cret-of-the-owner" } });
  const started = await flows.api("POST", `/manager/api/workflows/${id}/runs`, { wait_s: 20 });
  expect(started.body).toMatchObject({ state: "succeeded" });
  const text = JSON.stringify(started.body);
  expect(text).toContain("hub_enc_");
  expect(text).not.toContain("s3cret");
});

test("A script with an error of syntax is a problem with its line, and is not published", async () => {
  const body = bodyOf("const a = 1;\nreturn a +* 2;");
  const checked = await flows.api("POST", "/manager/api/workflows/validate", { body });
  expect(checked.body.problems).toContainEqual(
    expect.objectContaining({
      ...{ path: "/nodes/1/source", severity: "error" },
      message: expect.stringContaining("on line 2"),
    }),
  );
  const created = await flows.api("POST", "/manager/api/workflows", { name: "Broken", body });
  const path = `/manager/api/workflows/${created.body.id}`;
  await flows.api("PUT", `${path}/secrets/KEY`, { value: "x" });
  expect((await flows.api("POST", `${path}/publish`, { revision: 1 })).status).toBe(400);
});
