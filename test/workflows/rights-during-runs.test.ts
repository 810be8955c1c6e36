/**
 * Protects: a run has the rights that its owner has at each step. What the owner loses while the run waits, it
 * loses too.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { updateUser } from "@hub/server/store/users.ts";
import { findWorkflowRun, listSteps } from "@hub/server/store/workflow-runs.ts";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(60_000);

type User = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let admin: User;
let users = 0;
beforeAll(async () => {
  hub = await openApiHub();
  admin = await hub.addUser("admin@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const workflows = "/manager/api/workflows";

/** Sends a request that succeeds. */
async function ask(user: User, method: string, path: string, body?: unknown) {
  const answer = await hub.request(method, path, { headers: user.headers, body });
  expect([method, path, answer.status < 300, answer.body]).toEqual([
    ...[method, path, true, answer.body],
  ]);
  return answer.body;
}

async function publish(user: User, body: WorkflowBodyInput): Promise<string> {
  const { id } = await ask(user, "POST", workflows, { name: "Pause", body });
  await ask(user, "POST", `${workflows}/${id}/publish`, { revision: 1 });
  return id;
}

const started = { triggers: [{ id: "start", type: "manual" as const, entry: "pause" }] };

/**
 * A user with a row that only its tag opens, and a run that waits for the run of another workflow before its
 * last node.
 */
async function startWaiting(last: "call" | "set") {
  const number = ++users;
  const tag = `tag-${number}`;
  const user = await hub.addUser(`user-${number}@example.com`, { tags: [tag] });
  const row = await hub.addRow(`Row ${number}`, [tag]);
  const call = {
    ...{ id: "last", type: "operation" as const, tool_id: `conn:${row.id}/greet` },
    params: { name: "Ada" },
  };
  const other = await publish(user, {
    ...started,
    nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
  });
  const workflow = await publish(user, {
    ...started,
    nodes: [
      { id: "pause", type: "workflow", workflow_id: other, wait: true, on_error: "continue" },
      last === "call" ? call : { id: "last", type: "set", value: "done" },
    ],
    edges: [{ from: "pause", to: "last" }],
  });
  const { run_id: run } = await ask(user, "POST", `${workflows}/${workflow}/runs`, {});
  await waitFor(async () => (await show(workflow, run)).state === "waiting");
  return { user, tag, row: row.id, other, workflow, run };
}

type Waiting = Awaited<ReturnType<typeof startWaiting>>;

/** A run as it is recorded, also if its workflow is deleted. */
async function show(workflow: string, run: string) {
  return await ask(admin, "GET", `${workflows}/${workflow}/runs/${run}`);
}

/** Ends the run that another one waits for, and returns the other one when it has ended. */
async function wake({ other, run }: Waiting) {
  const { runs } = await ask(admin, "GET", `${workflows}/${other}/runs`);
  await ask(admin, "POST", `${workflows}/${other}/runs/${runs[0].id}/cancel`);
  const ended = await waitFor(async () => {
    const found = await findWorkflowRun(hub.store.db, run);
    return found?.endedAt != null && found;
  });
  const steps = await listSteps(hub.store.db, run);
  return {
    state: ended.state,
    error: JSON.parse(ended.error ?? "null"),
    steps: steps.map(({ nodeId, state }) => [nodeId, state]),
  };
}

type Change = (waiting: Waiting) => Promise<unknown>;

/** How a run with this last node ends after a change. All of them wait at the same time. */
async function endAfter(last: "call" | "set", change: Change) {
  const waiting = await startWaiting(last);
  await change(waiting);
  return await wake(waiting);
}

const refusedCalls: Record<string, [string, Change]> = {
  "its owner loses the tag of the row": [
    "not_found",
    ({ user }) => hub.admin.users.set(user.user.id, { tags: [] }),
  ],
  "the row loses the tag": ["not_found", ({ row }) => hub.admin.rows.set(row, { tags: [] })],
  "the row is switched off": ["connector_disabled", ({ row }) => hub.admin.rows.disable(row)],
  "the operation is switched off": [
    "operation_disabled",
    ({ row }) => hub.admin.operations.disable(row, "greet"),
  ],
  "the row is deleted": ["not_found", ({ row }) => hub.admin.rows.delete(row)],
};
const refusedRuns: Record<string, [string, Change]> = {
  "its owner is disabled": ["forbidden", ({ user }) => hub.admin.users.disable(user.user.id)],
  "its owner has to wait for approval": [
    "forbidden",
    ({ user }) => updateUser(hub.store.db, user.user.id, { status: "pending" }, Date.now()),
  ],
  "another user becomes the owner": ["forbidden", giveAway],
  "its workflow is deleted": [
    "not_found",
    ({ user, workflow }) => ask(user, "DELETE", `${workflows}/${workflow}`),
  ],
};

type Ended = Awaited<ReturnType<typeof wake>>;
const ends = new Map<string, Promise<Ended>>();
beforeAll(async () => {
  ends.set(
    "nothing",
    endAfter("call", async () => {}),
  );
  for (const [title, [, change]] of Object.entries(refusedCalls)) {
    ends.set(title, endAfter("call", change));
  }
  for (const [title, [, change]] of Object.entries(refusedRuns)) {
    ends.set(title, endAfter("set", change));
  }
  await Promise.allSettled(ends.values());
});

test("A run whose owner keeps the rights goes on", async () => {
  expect(await ends.get("nothing")).toMatchObject({ state: "succeeded", error: null });
});

test.each(Object.entries(refusedCalls))("A run fails at its next call when %s", async (title, [
  code,
]) => {
  expect(await ends.get(title)).toMatchObject({
    state: "failed",
    error: { code, node_id: "last" },
  });
});

test.each(Object.entries(refusedRuns))("No node of a run starts any more when %s", async (title, [
  code,
]) => {
  expect(await ends.get(title)).toMatchObject({
    state: "failed",
    error: { code, node_id: null },
    steps: [["pause", expect.stringMatching(/cancelled|waiting/)]],
  });
});

async function giveAway({ workflow, user }: Waiting): Promise<void> {
  const heir = await hub.addUser(`heir-${++users}@example.com`);
  const path = `${workflows}/${workflow}`;
  await ask(user, "POST", `${path}/offer`, { owner: heir.user.email });
  const { updated_at } = await ask(heir, "GET", path);
  await ask(heir, "POST", `${path}/accept`, { updated_at });
}
