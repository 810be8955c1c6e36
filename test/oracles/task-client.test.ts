/**
 * The client of the extension Tasks, as its own package drives it, over a hub. Protects: a host that uses the package
 * follows, answers, cancels and finds again the calls that wait for a person.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CallRuleInput } from "@hub/contract/call-rule.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import {
  JsonRpcResponseError,
  type SerializedTaskReference,
} from "@modelcontextprotocol/ext-tasks/client";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { openTaskClient, type TaskClient } from "./support/task-client.ts";

setDefaultTimeout(120_000);

const byForm: CallRuleInput = { asks: "always", decide: { by: "caller" }, confirm: "client" };
const byPage: CallRuleInput = { asks: "always", decide: { by: "caller" } };
const forms = { form: {} };
const pages = { url: {} };

let hub: ApiHub;
let user: Awaited<ReturnType<ApiHub["addUser"]>>;

beforeAll(async () => {
  hub = await openApiHub();
  user = await hub.addUser("caller@example.com", { tags: ["red"] });
});
afterAll(() => hub[Symbol.asyncDispose]());

const connect = (given: Partial<Parameters<typeof openTaskClient>[0]> = {}) =>
  openTaskClient({ url: hub.url, headers: user.headers, elicitation: forms, ...given });

/** Adds a row whose calls ask, and returns the arguments of one. */
async function addAskedCall(rule: CallRuleInput, on = hub) {
  const { id } = await on.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
  await setRule(on.hub.services, commandLineActor, id, rule);
  return { tool_id: `conn:${id}/greet`, params: { name: "Ada" } };
}

type Call = Awaited<ReturnType<typeof addAskedCall>>;

async function open({ session }: TaskClient, call: Call) {
  const execution = await session.callTool("hub_execute", call);
  if (execution.kind !== "task") throw new Error("The call is no task");
  return execution;
}

/** Decides on the page, as the caller in a browser. */
async function decide(id: string, decision: string, on = hub, userId = user.user.id) {
  const headers = await on.openBrowser(userId);
  const path = `/manager/api/pending-calls/${id}`;
  const { body } = await on.request("GET", path, { headers });
  const sent = { headers, body: { decision, hash: body.hash } };
  expect(await on.request("POST", `${path}/decision`, sent)).toMatchObject({ status: 200 });
}

const done = {
  status: "completed",
  result: { structuredContent: { greeting: "Hello Ada" } },
};

test("The form of a task is answered by tasks/update, and the call runs", async () => {
  const asked: unknown[] = [];
  await using client = await connect({
    onElicitation(request, { delivery, inputId }) {
      asked.push(request, delivery, inputId);
      return { action: "accept", content: {} };
    },
  });
  const execution = await open(client, await addAskedCall(byForm));
  expect(await execution.result()).toMatchObject(done);
  expect(asked).toEqual([
    { kind: "elicitation", params: expect.objectContaining({ mode: "form" }) },
    "task-update",
    "approval",
  ]);
  expect(client.sent.filter((method) => method === "tasks/update")).toHaveLength(1);
});

test("A form that is declined ends the task with a result of the tool that is a failure", async () => {
  await using client = await connect({
    onElicitation: () => ({ action: "decline" }),
  });
  const execution = await open(client, await addAskedCall(byForm));
  expect(await execution.result()).toMatchObject({
    status: "completed",
    result: { isError: true },
  });
});

test("The notifications of the hub end a task at a client that asks nothing more", async () => {
  const opened = Promise.withResolvers<void>();
  await using client = await connect({
    elicitation: pages,
    onElicitation(request) {
      expect(request).toMatchObject({ kind: "elicitation", params: { mode: "url" } });
      opened.resolve();
      return { action: "accept" };
    },
  });
  const execution = await open(client, await addAskedCall(byPage));
  const outcome = execution.result();
  await opened.promise;
  client.holdReads();
  const { closed } = await client.listen([execution.handle.taskId]);
  await decide(execution.handle.taskId, "approved");
  expect(await outcome).toMatchObject(done);
  // All its tasks have ended.
  expect(await closed).toBe("graceful");
});

test("A task that is cancelled never runs", async () => {
  await using client = await connect({ elicitation: {} });
  const call = await addAskedCall(byPage);
  const execution = await open(client, call);
  await execution.cancel();
  expect(await client.session.task(execution.handle.taskId).result()).toMatchObject({
    status: "cancelled",
  });
  const row = call.tool_id.slice("conn:".length).split("/")[0] ?? "";
  const runs = await hub.admin.runs.list({ row, limit: 10 });
  expect(runs.filter(({ status }) => status === "success")).toEqual([]);
});

test("A task of another user, and one that never was, are the same to the client", async () => {
  await using client = await connect();
  await using others = await connect({
    headers: (await hub.addUser("other@example.com", { tags: ["red"] })).headers,
  });
  const { handle } = await open(client, await addAskedCall(byPage));
  const failures = await Promise.all(
    [handle.taskId, "0".repeat(32)].flatMap((id) => {
      // The package's ids are texts of their own type.
      const task = others.session.task(id as typeof handle.taskId);
      return [task.snapshot(), task.update({}), task.cancel()].map((answer) =>
        answer.then(
          () => null,
          (failure: unknown) => failure,
        ),
      );
    }),
  );
  expect(failures).toHaveLength(6);
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(JsonRpcResponseError);
    expect(failure).toMatchObject({ code: -32602, message: String(Object(failures[0]).message) });
  }
});

test("A client finds its task and its result again after restarts of the hub", async () => {
  await using folder = await createDataFolder();
  const env = { HUB_DATA_DIR: folder.path };
  let reference: SerializedTaskReference | undefined;
  const first = await openApiHub(env);
  const { headers, user: owner } = await first.addUser("caller@example.com", { tags: ["red"] });
  {
    await using client = await connect({ url: first.url, headers, elicitation: {} });
    const execution = await open(client, await addAskedCall(byPage, first));
    await execution.handoff((given) => {
      reference = given;
    });
    // Until then the end of the session cancels the task.
    await execution.result().catch(() => {});
  }
  await first[Symbol.asyncDispose]();
  if (reference === undefined) throw new Error("The client gave no reference");
  const found = [];
  for (const isWaiting of [true, false]) {
    await using next = await openApiHub(env);
    await using client = await connect({ url: next.url, headers, elicitation: {} });
    const execution = await client.session.resumeTask(reference);
    if (isWaiting) await decide(reference.taskId, "approved", next, owner.id);
    found.push(await execution.result());
  }
  expect(found[0]).toMatchObject(done);
  expect(Object(found[1]).result).toEqual(Object(found[0]).result);
});
