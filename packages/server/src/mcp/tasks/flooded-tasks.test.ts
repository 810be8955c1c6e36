/** Protects: the requests about tasks of one user, however many, leave the hub to the others. */
import { expect, test } from "bun:test";
import type { PendingTask } from "../../operations/ports.ts";
import { metaKeys, tasksExtension } from "../modes/protocol-versions.ts";
import { ada, ben, openTestMcp } from "../testing/open-test-mcp.ts";
import { postStateless } from "../testing/post-message.ts";
import { until } from "../testing/until.ts";

const task: PendingTask = {
  id: "a",
  toolId: "conn:row/grind",
  createdAt: 0,
  updatedAt: 0,
  keptUntil: 1,
  state: { kind: "running" },
};

const declared = { [metaKeys.clientCapabilities]: { extensions: { [tasksExtension]: {} } } };

test.each([
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
])("%s is refused to a user with too many open requests, and only to that user", async (method) => {
  const held = Promise.withResolvers<PendingTask>();
  let asked = 0;
  const find = () => {
    asked += 1;
    return held.promise;
  };
  const { mcp } = openTestMcp({ requestsMax: 4, tasks: { find, cancel: find } });
  const send = (caller: typeof ada) =>
    postStateless(
      mcp,
      method,
      { taskId: "a", inputResponses: {} },
      {
        caller,
        headers: { accept: "application/json", "Mcp-Name": "a" },
        meta: declared,
      },
    );
  const open = [send(ada), send(ada)];
  const refused = await send(ada);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: -32603 } });
  open.push(send(ben));
  await until(() => asked === 3);
  held.resolve(task);
  for (const answer of await Promise.all(open)) expect(answer.status).toBe(200);
});

test("A user has at most twenty streams, and may open another after one has ended", async () => {
  const { mcp } = openTestMcp({
    tasks: { listOwn: async (_ctx, ids) => [...ids], listStamps: async () => new Map() },
  });
  const left = new AbortController();
  const listen = (caller: typeof ada, signal?: AbortSignal) =>
    postStateless(
      mcp,
      "subscriptions/listen",
      { notifications: { taskIds: ["a"] } },
      {
        caller,
        headers: { accept: "application/json, text/event-stream" },
        meta: declared,
        ...(signal && { signal }),
      },
    );
  const streams = [await listen(ada, left.signal)];
  while (streams.length < 20) streams.push(await listen(ada));
  expect((await listen(ada)).status).toBe(429);
  streams.push(await listen(ben));
  for (const { status } of streams) expect(status).toBe(200);
  left.abort();
  // The stream ends with its last frame.
  await streams[0]?.text();
  expect((await listen(ada)).status).toBe(200);
  await mcp.close();
});
