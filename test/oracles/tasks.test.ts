/** The extension Tasks, checked by the schemas of its own package over a hub. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import {
  CancelTaskResultV2Schema,
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
  readAcceptedTaskIdsV2,
  ServerTaskCapabilityEnvelopeV2Schema,
  UpdateTaskResultV2Schema,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";

setDefaultTimeout(180_000);

const prefix = "io.modelcontextprotocol";
let hub: ApiHub;
let headers: Record<string, string>;
let browser: Record<string, string>;

beforeAll(async () => {
  hub = await openApiHub();
  const user = await hub.addUser("caller@example.com", { tags: ["red"] });
  headers = user.headers;
  browser = await hub.openBrowser(user.user.id);
});
afterAll(() => hub[Symbol.asyncDispose]());

/** The frames of an answer. */
async function send(method: string, params: Record<string, unknown>) {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": `${params.taskId ?? params.name}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${prefix}/protocolVersion`]: "2026-07-28",
          [`${prefix}/clientCapabilities`]: {
            elicitation: { url: {} },
            extensions: { [`${prefix}/tasks`]: {} },
          },
        },
      },
    }),
  });
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const frames = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data) : [text];
  return frames.map((frame) => JSON.parse(frame ?? ""));
}

const ask = async (method: string, params: Record<string, unknown>) =>
  (await send(method, params))[0].result;

async function openTask(): Promise<string> {
  const { id } = await hub.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
  await setRule(hub.hub.services, commandLineActor, id, {
    asks: "always",
    decide: { by: "caller" },
  });
  const args = { tool_id: `conn:${id}/greet`, params: { name: "Ada" } };
  const created = await ask("tools/call", { name: "hub_execute", arguments: args });
  expect(isCreateTaskResultV2(created)).toBe(true);
  return created.taskId;
}

async function decide(id: string, decision: string) {
  const path = `/manager/api/pending-calls/${id}`;
  const { body } = await hub.request("GET", path, { headers: browser });
  const sent = { headers: browser, body: { decision, hash: body.hash } };
  expect((await hub.request("POST", `${path}/decision`, sent)).status).toBe(200);
}

test("The server declares the extension as its package reads it", async () => {
  const { capabilities } = await ask("server/discover", {});
  expect(ServerTaskCapabilityEnvelopeV2Schema.safeParse(capabilities).success).toBe(true);
});

test("A task that is approved is valid in each of its states, and in its notifications", async () => {
  const taskId = await openTask();
  const asking = await ask("tasks/get", { taskId });
  expect([asking.status, isDetailedTaskV2(asking)]).toEqual(["input_required", true]);
  const inputResponses = { approval: { action: "accept" } };
  const updated = await ask("tasks/update", { taskId, inputResponses });
  expect(UpdateTaskResultV2Schema.safeParse(updated).success).toBe(true);
  const working = await ask("tasks/get", { taskId });
  expect([working.status, isDetailedTaskV2(working)]).toEqual(["working", true]);
  const listening = send("subscriptions/listen", { notifications: { taskIds: [taskId] } });
  await decide(taskId, "approved");
  const [acknowledged, ...frames] = await listening;
  expect(readAcceptedTaskIdsV2(acknowledged.params)).toEqual([taskId]);
  const told = frames.slice(0, -1);
  expect(told.length).toBeGreaterThan(0);
  for (const notification of told) {
    expect(isTaskStatusNotificationV2(notification)).toBe(true);
  }
  const done = await ask("tasks/get", { taskId });
  expect([done.status, isDetailedTaskV2(done)]).toEqual(["completed", true]);
});

test("A task that is cancelled or denied is valid", async () => {
  const cancelled = await openTask();
  const answer = await ask("tasks/cancel", { taskId: cancelled });
  expect(CancelTaskResultV2Schema.safeParse(answer).success).toBe(true);
  const end = await ask("tasks/get", { taskId: cancelled });
  expect([end.status, isDetailedTaskV2(end)]).toEqual(["cancelled", true]);
  const denied = await openTask();
  await decide(denied, "denied");
  const refused = await ask("tasks/get", { taskId: denied });
  expect([refused.status, isDetailedTaskV2(refused)]).toEqual(["completed", true]);
});
