import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

let flow: WorkflowHub;

beforeAll(async () => {
  flow = await startWorkflowHub({ isHere: true });
});
afterAll(() => flow[Symbol.asyncDispose]());

type Run = { id: string; state: string; trigger_type: string; steps: Array<{ output: unknown }> };

const set = (value: unknown) => [{ id: "note", type: "set" as const, value }];
const path = (id: string, rest = "") => `/manager/api/workflows/${id}${rest}`;

async function listRuns(id: string): Promise<Run[]> {
  const { body } = await flow.api("GET", path(id, "/runs"));
  // Safe: the API's answer has this shape.
  return body.runs as Run[];
}

/** Waits until the workflow has this many ended runs, and returns the oldest of them with its steps. */
async function findRun(id: string, count = 1): Promise<Run> {
  const ended = await waitFor(async () => {
    const runs = (await listRuns(id)).filter(({ state }) => /succeeded|failed/.test(state));
    return runs.length >= count && runs;
  });
  const { body } = await flow.api("GET", path(id, `/runs/${ended.at(-1)?.id}`));
  // Safe: the API's answer has this shape.
  return body as unknown as Run;
}

test("A failed run starts a run of the workflow that waits for its errors", async () => {
  const shop = await flow.publish({
    triggers: [{ id: "start", type: "webhook", entry: "stop" }],
    nodes: [{ id: "stop", type: "fail", message: "No stock" }],
  });
  const alarm = await flow.publish({
    triggers: [{ id: "oops", type: "error", entry: "note", source_workflow: shop }],
    nodes: set("{{.Event.Payload.error.message}} at {{.Event.Payload.node_id}}"),
  });
  expect((await flow.send(shop)).status).toBe(202);
  const run = await findRun(alarm);
  expect(run.steps).toMatchObject([{ output: "No stock at stop" }]);
  const [failed] = await listRuns(shop);
  expect(failed).toMatchObject({ state: "failed" });
});

test("An error trigger for a workflow that does not exist is an error of validation", async () => {
  const body = {
    triggers: [{ id: "oops", type: "error", entry: "note", source_workflow: "absent-abc123" }],
    nodes: set(1),
  };
  const { body: answer } = await flow.api("POST", "/manager/api/workflows/validate", { body });
  expect(answer.problems).toMatchObject([
    { path: "/triggers/0/source_workflow", severity: "error" },
  ]);
});

test("A scheduled run is listed, moved ahead so that it starts, and another one is dropped", async () => {
  const id = await flow.publish({
    triggers: [
      { id: "start", type: "webhook", entry: "plan" },
      { id: "at", type: "schedule_at", entry: "note" },
    ],
    nodes: [
      { id: "plan", type: "set", value: { schedule_at: "2099-01-01T00:00:00Z", item: "tea" } },
      { id: "note", type: "set", value: "{{.Event.Payload.item}}" },
    ],
  });
  for (const slug of ["one", "two", "three"]) await flow.send(id, slug);
  const list = async () => {
    const { body } = await flow.api("GET", path(id, "/scheduled"));
    // Safe: the API's answer has this shape.
    return body.runs as Array<{ id: string; scheduled_at: string }>;
  };
  const [first, second, third] = await waitFor(async () => {
    const runs = await list();
    return runs.length === 3 && runs;
  });
  const cli = async (...words: string[]) =>
    (await flow.hub.cli("workflow", "scheduled", ...words)).stdout;
  expect(await cli("list", id)).toContain(`${first?.id}  2099-01-01T00:00:00.000Z  1`);
  expect(await cli("move", id, third?.id ?? "", "2098-01-01T00:00:00+01:00")).toBe(
    "The run starts at 2097-12-31T23:00:00.000Z.\n",
  );
  expect(await cli("drop", id, third?.id ?? "")).toBe(
    "The run of 2097-12-31T23:00:00.000Z is cancelled.\n",
  );
  const dropped = await flow.api("DELETE", path(id, `/scheduled/${second?.id}`));
  expect([dropped.status, (await list()).map((run) => run.id)]).toEqual([200, [first?.id ?? ""]]);
  const scheduledAt = new Date(Date.now() + 2_000).toISOString();
  const move = (scheduled_at: string) =>
    flow.api("PATCH", path(id, `/scheduled/${first?.id}`), { scheduled_at });
  expect((await move("2020-01-01T00:00:00Z")).status).toBe(400);
  expect((await move(scheduledAt)).body).toMatchObject({ scheduled_at: scheduledAt });
  const run = await waitFor(async () =>
    (await listRuns(id)).find((one) => one.id === first?.id && one.state === "succeeded"),
  );
  const { body } = await flow.api("GET", path(id, `/runs/${run.id}`));
  expect(body.steps).toMatchObject([{ output: "tea" }]);
  expect((await move("2099-01-01T00:00:00Z")).status).toBe(404);
});
