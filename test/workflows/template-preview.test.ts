/** The preview of templates: who may ask for it, and what it shows of runs and secrets. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

let flows: WorkflowHub;
let id: string;
let run: string;

beforeAll(async () => {
  flows = await startWorkflowHub({ isHere: true });
  id = await flows.publish(
    {
      triggers: [{ id: "start", type: "manual", entry: "first" }],
      nodes: [
        {
          id: "first",
          type: "set",
          value: { total: "{{.Event.Payload.n}}", key: "{{.Secret.KEY}}" },
        },
        { id: "last", type: "fail", message: "no" },
      ],
      edges: [{ from: "first", to: "last" }],
      settings: { env: { REGION: "north" } },
    },
    { secrets: { KEY: "s3cret-of-the-owner" } },
  );
  const started = { payload: { n: 42 }, wait_s: 20 };
  const { body } = await flows.api("POST", `/manager/api/workflows/${id}/runs`, started);
  run = String(body.run_id);
});
afterAll(() => flows[Symbol.asyncDispose]());

const preview = (template: string, given: object = { run }, token?: string) =>
  flows.api("POST", `/manager/api/workflows/${id}/preview`, { template, ...given }, token);

test("A template is rendered with the event, the outputs and the plain values of a run", async () => {
  const shown = async (template: string) => (await preview(template)).body.value;
  expect(await shown("{{.Event.Payload.n}}")).toBe(42);
  expect(await shown("{{.Node.first.total}} in {{.Env.REGION}}")).toBe("42 in north");
  expect(await shown("{{.Workflow.ID}} {{.Run.ID}}")).toBe(`${id} ${run}`);
});

test("A preview shows the names of secrets, and never a value or an encrypted one", async () => {
  const { body } = await preview('{{.Secret.KEY}} {{basicAuth "ann" .Secret.KEY}}');
  expect(body.value).toBe("[secret KEY] Basic [secret KEY]");
  const all = JSON.stringify([body, (await preview("{{.Secret.KEY | base64}}")).body]);
  expect(all).not.toContain("s3cret");
  expect(all).not.toContain("hub_enc_");
  expect((await preview("{{.Secret.OTHER}}")).body.error).toMatchObject({ code: "secret_missing" });
});

test("A template with an error says where, and one that costs too much ends", async () => {
  expect((await preview("{{.Event")).body.error).toMatchObject({
    code: "template_invalid",
    message: expect.stringContaining("Line 1"),
  });
  const loop = "{{range 1000}}{{range 1000}}a{{end}}{{end}}";
  expect((await preview(loop)).body.error).toMatchObject({ code: "template_limit" });
  expect((await preview("a".repeat(65_537))).status).toBe(400);
});

test("What a preview reads belongs to the workflow: another run is not found", async () => {
  const other = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "out" }],
    nodes: [{ id: "out", type: "set", value: 1 }],
  });
  const path = `/manager/api/workflows/${other}/preview`;
  expect((await flows.api("POST", path, { template: "a", run })).status).toBe(404);
  expect((await preview("{{.Event}}", {})).body).toMatchObject({ value: null, error: null });
});
