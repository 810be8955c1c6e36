/**
 * Protects: a workflow gives a former owner, and a user to whom it was offered, no right that they do not
 * have any more. Every route of workflows gets a request of both. The access table has the other callers.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { addWorkflow } from "./add-workflow.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(180_000);

let hub: ApiHub;
let owner: Awaited<ReturnType<ApiHub["addUser"]>>;
let heir: Awaited<ReturnType<ApiHub["addUser"]>>;

beforeAll(async () => {
  hub = await openApiHub();
  owner = await hub.addUser("owner@example.com", { tags: ["red"] });
  heir = await hub.addUser("heir@example.com");
});
afterAll(() => hub[Symbol.asyncDispose]());

const routes = apiRoutes
  .filter(({ path }) => path.startsWith("/manager/api/workflows/{workflow}"))
  // After the end of an offer, the workflow does not exist for its heir.
  .sort((one, other) => Number(endsOffer(one)) - Number(endsOffer(other)));

function endsOffer({ endpoint }: (typeof apiRoutes)[number]): boolean {
  return endpoint.name === "endWorkflowOffer";
}

/** Valid bodies, so that nothing but the caller's rights refuses a request. */
const bodies: Record<string, (revision: number) => unknown> = {
  changeWorkflow: () => ({ name: "Other" }),
  saveWorkflowDraft: (revision) => ({ revision, body: {} }),
  publishWorkflow: (revision) => ({ revision }),
  restoreWorkflowVersion: (revision) => ({ revision }),
  setWorkflowTags: () => ({ tags: [] }),
  setWorkflowSecret: () => ({ value: "x" }),
  moveScheduledRun: () => ({ scheduled_at: "2100-01-01T00:00:00Z" }),
  startWorkflowRun: () => ({}),
  replayWorkflowRun: () => ({}),
  resumeWorkflowRun: () => ({}),
  offerWorkflow: () => ({ owner: "owner@example.com" }),
  acceptWorkflow: () => ({ updated_at: "2026-11-20T09:42:00Z" }),
};

type User = typeof owner;
type Workflow = { id: string; revision: number };

/** The answer to a request of each route. */
async function askAll({ headers }: User, { id, revision }: Workflow) {
  const answers: Array<[name: string, status: number, body: unknown]> = [];
  for (const { method, path, endpoint } of routes) {
    const sent = path
      .replace("{workflow}", id)
      .replace("{version}", "1")
      .replace("{secret}", "KEY")
      .replace("{run}", crypto.randomUUID());
    const body = bodies[endpoint.name]?.(revision);
    const answer = await hub.request(method, sent, { headers, body });
    answers.push([endpoint.name, answer.status, answer.body]);
  }
  return answers;
}

async function accept({ id }: Workflow): Promise<void> {
  const path = `/manager/api/workflows/${id}`;
  const { body: read } = await hub.request("GET", path, { headers: heir.headers });
  const { status } = await hub.request("POST", `${path}/accept`, {
    headers: heir.headers,
    body: { updated_at: read.updated_at },
  });
  expect(status).toBe(200);
}

test("To a former owner, a workflow is the same as one that does not exist", async () => {
  const workflow = await addWorkflow(hub, owner.user.id, { offeredTo: heir.user.email });
  await accept(workflow);
  const answers = await askAll(owner, workflow);
  expect(answers).toHaveLength(routes.length);
  const absent = await askAll(owner, { id: "absent-abc123", revision: workflow.revision });
  expect(answers).toEqual(absent);
  expect(new Set(answers.map(([, status]) => status))).toEqual(new Set([404]));
  const { body } = await hub.request("GET", "/manager/api/workflows", { headers: owner.headers });
  expect(body.workflows).toEqual([]);
});

test("A former owner who shares a tag sees the workflow and manages nothing", async () => {
  const workflow = await addWorkflow(hub, owner.user.id, {
    tags: ["red"],
    offeredTo: heir.user.email,
  });
  await accept(workflow);
  const refused = routes.flatMap(({ guard, endpoint }) =>
    guard.name === "sees the workflow" ? [] : endpoint.name,
  );
  const answers = await askAll(owner, workflow);
  const forbidden = answers.flatMap(([name, status]) => (status === 403 ? [name] : []));
  expect(forbidden.toSorted()).toEqual(refused.toSorted());
});

test("A user to whom a workflow is offered reads it, and changes nothing before accepting it", async () => {
  const workflow = await addWorkflow(hub, owner.user.id, { offeredTo: heir.user.email });
  const readable = routes.flatMap(({ guard, endpoint }) =>
    // Only those who share a tag may start it.
    guard.name.startsWith("manages the workflow") || endpoint.name === "startWorkflowRun"
      ? []
      : endpoint.name,
  );
  const answers = await askAll(heir, workflow);
  // The last request declines the offer, after one that accepts another state of the workflow.
  const refused = answers.filter(([, status]) => status === 403).map(([name]) => name);
  const allowed = answers.filter(([, status]) => status !== 403).map(([name]) => name);
  expect(allowed.toSorted()).toEqual(readable.toSorted());
  expect(refused).toContain("saveWorkflowDraft");
  const after = await askAll(heir, workflow);
  expect(new Set(after.map(([, status]) => status))).toEqual(new Set([404]));
});

test("A workflow is created, saved, published and run down over the API, and no answer has a secret", async () => {
  const { headers } = owner;
  const path = "/manager/api/workflows";
  const ask = async (method: string, sent: string, body?: unknown) => {
    const answer = await hub.request(method, sent, { headers, body });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      answer.status,
      expect.not.stringContaining("s3cret-value-9fK2xQ7vLm4R"),
    ]);
    return answer;
  };
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "one" }],
    nodes: [{ id: "one", type: "set", value: "{{.Secret.KEY}}" }],
  };
  const created = await ask("POST", path, { name: "Sums", body });
  expect(created).toMatchObject({ status: 201, body: { draft: { revision: 1 }, body } });
  const own = `${path}/${created.body.id}`;
  await ask("PUT", `${own}/secrets/KEY`, { value: "s3cret-value-9fK2xQ7vLm4R" });
  const published = await ask("POST", `${own}/publish`, { revision: 1, note: "First" });
  expect(published).toMatchObject({ status: 200, body: { version: 1, opened: [] } });
  const saved = { ...body, nodes: [{ id: "one", type: "set", value: 2 }] };
  expect(await ask("PUT", `${own}/draft`, { revision: 1, body: saved })).toMatchObject({
    status: 200,
    body: { draft: { revision: 2, is_published: false } },
  });
  const stale = await ask("PUT", `${own}/draft`, { revision: 1, body });
  expect(stale).toMatchObject({
    status: 409,
    body: { code: "conflict", revision: 2, saved_by: { email: "owner@example.com" } },
  });
  expect(stale.body.difference).toBeDefined();
  expect((await ask("GET", `${own}/diff?from=1`)).body).toMatchObject({ from: "1", to: "draft" });
  expect((await ask("GET", `${own}/versions`)).body.versions).toMatchObject([
    { version: 1, note: "First" },
  ]);
  const exported = await ask("GET", `${own}/export`);
  const imported = await ask("POST", `${path}/import`, exported.body);
  expect(imported).toMatchObject({ status: 201, body: { name: "Sums", body: saved } });
  expect((await ask("GET", `${own}`)).body.secrets).toMatchObject([{ name: "KEY", is_set: true }]);
  expect((await ask("DELETE", own)).status).toBe(200);
  expect((await ask("GET", own)).status).toBe(404);
});
