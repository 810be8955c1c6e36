/**
 * Protects: a run has the rights that its owner has at each step. What the owner loses while the run waits, it
 * loses too.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { updateUser } from "@hub/server/store/users/users-table.ts";
import { findWorkflowRun } from "@hub/server/store/workflow-runs/workflow-runs-table.ts";
import { listSteps } from "@hub/server/store/workflow-runs/workflow-steps.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

let hub: WorkflowUsers;
beforeAll(async () => {
  hub = await openWorkflowUsers();
});
afterAll(() => hub[Symbol.asyncDispose]());

let tags = 0;

const started = { triggers: [{ id: "start", type: "manual" as const, entry: "pause" }] };

/**
 * A user with a row that only its tag opens, and a run that waits for the run of another workflow before its
 * last node.
 */
async function startWaiting(last: "call" | "set") {
  const tag = `tag-${++tags}`;
  const user = await hub.addUser({ tags: [tag] });
  const row = await hub.hub.addRow(`Row of ${tag}`, [tag]);
  const call = {
    id: "last",
    type: "operation" as const,
    tool_id: `conn:${row.id}/greet`,
    params: { name: "Ada" },
  };
  const other = await hub.publish(user, {
    ...started,
    nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
  });
  const workflow = await hub.publish(user, {
    ...started,
    nodes: [
      { id: "pause", type: "workflow", workflow_id: other, wait: true, on_error: "continue" },
      last === "call" ? call : { id: "last", type: "set", value: "done" },
    ],
    edges: [{ from: "pause", to: "last" }],
  });
  const { run_id: run } = await hub.ask(user, "POST", `${workflowsPath}/${workflow}/runs`, {});
  await hub.awaitRun(workflow, run, /waiting/);
  return { user, tag, row: row.id, other, workflow, run };
}

type Waiting = Awaited<ReturnType<typeof startWaiting>>;

/** Ends the run that another one waits for, and returns the other one when it has ended. */
async function wake({ other, run }: Waiting) {
  const { runs } = await hub.ask(hub.admin, "GET", `${workflowsPath}/${other}/runs`);
  await hub.ask(hub.admin, "POST", `${workflowsPath}/${other}/runs/${runs[0].id}/cancel`);
  const ended = await waitFor(async () => {
    const found = await findWorkflowRun(hub.hub.store.db, run);
    return found?.endedAt != null && found;
  });
  const steps = await listSteps(hub.hub.store.db, run);
  return {
    state: ended.state,
    error: JSON.parse(ended.error ?? "null"),
    steps: steps.map(({ nodeId, state }) => [nodeId, state]),
  };
}

type ApiUsers = WorkflowUsers["hub"]["admin"]["users"];
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
    ({ user }) => hub.hub.admin.users.set(user.user.id, { tags: [] }),
  ],
  "the row loses the tag": ["not_found", ({ row }) => hub.hub.admin.rows.set(row, { tags: [] })],
  "the row is switched off": ["connector_disabled", ({ row }) => hub.hub.admin.rows.disable(row)],
  "the operation is switched off": [
    "operation_disabled",
    ({ row }) => hub.hub.admin.operations.disable(row, "greet"),
  ],
  "the row is deleted": ["not_found", ({ row }) => hub.hub.admin.rows.delete(row)],
};
const refusedRuns: Record<string, [string, Change]> = {
  "its owner is disabled": ["forbidden", ({ user }) => hub.hub.admin.users.disable(user.user.id)],
  "its owner has to wait for approval": [
    "forbidden",
    ({ user }) => updateUser(hub.hub.store.db, user.user.id, { status: "pending" }, Date.now()),
  ],
  "another user becomes the owner": [
    "forbidden",
    async ({ user, workflow }) => hub.giveAway(workflow, user, await hub.addUser()),
  ],
  "its workflow is deleted": [
    "not_found",
    ({ user, workflow }) => hub.ask(user, "DELETE", `${workflowsPath}/${workflow}`),
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

/** Opens the stream of a run. The function returns its next event, or null at its end. */
async function openEvents(user: WorkflowUser, { workflow, run }: Waiting) {
  const response = await fetch(`${hub.hub.url}${workflowsPath}/${workflow}/runs/${run}/events`, {
    headers: { ...user.headers, accept: "text/event-stream" },
  });
  const parts = response.body?.values();
  const events: unknown[] = [];
  let text = "";
  return async () => {
    while (events.length === 0) {
      const part = await parts?.next();
      if (part === undefined || part.done) return null;
      const frames = (text + new TextDecoder().decode(part.value)).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
        if (data !== undefined) events.push(JSON.parse(data));
      }
    }
    return events.shift();
  };
}

test.each<[string, { admin?: boolean; tags?: string[] }, Partial<Parameters<ApiUsers["set"]>[1]>]>([
  ["an admin who is no admin any more", { admin: true }, { role: "user" }],
  ["a user who loses the tag", { tags: ["shared"] }, { tags: [] }],
])("A stream of events shows nothing more to %s", async (_who, given, change) => {
  const waiting = await startWaiting("set");
  await hub.ask(hub.admin, "PUT", `${workflowsPath}/${waiting.workflow}/tags`, {
    tags: ["shared"],
  });
  const reader = await hub.addUser(given);
  const nextEvent = await openEvents(reader, waiting);
  // The first frame of one who may read steps; the other one waits for the end of the run.
  if (given.admin) expect(await nextEvent()).toMatchObject({ step: { node_id: "pause" } });
  await hub.hub.admin.users.set(reader.user.id, change);
  await wake(waiting);
  expect(await nextEvent()).toMatchObject({ code: "not_found" });
  expect(await nextEvent()).toBeNull();
});
