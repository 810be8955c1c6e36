/** Protects: a script ends with the right of its caller, and waits for no limit because of itself. */
import { expect, test } from "bun:test";
import { toTestCall } from "../operations/testing/open-test-operations.ts";
import { FakeEnd, openTestScripts } from "./testing/open-test-scripts.ts";

test("A script does not count as a running call of its user or row, and its calls wait for each other", async () => {
  const limited = await openTestScripts({ user: { atOnce: 1 }, row: { atOnce: 1 } });
  try {
    const [toolId, whoami] = ["run_script", "whoami"].map((key) => `conn:${limited.rowId}/${key}`);
    limited.setScript(({ call }) => Promise.all([1, 2, 3].map(() => call(String(whoami)))));
    const params = { source: "return 1" };
    const ctx = toTestCall(["red"]);
    const { value } = await limited.operations.calls.call(ctx, { toolId: String(toolId), params });
    expect(value).toMatchObject(Array(3).fill({ email: "ada@example.com" }));
  } finally {
    await limited.close();
  }
});

test("What a script has read is not answered once its caller may no longer see it", async () => {
  const hub = await openTestScripts();
  try {
    const shop = await hub.addRow({ tags: ["team"] });
    const ctx = toTestCall(["red", "team"]);
    const caller = { ...ctx.caller };
    hub.setScript(async ({ call }) => {
      const order = await call(`conn:${shop}/get`, { id: 1 });
      caller.tags = new Set(["red"]);
      return order;
    });
    const toolId = `conn:${hub.rowId}/read_script`;
    const params = { source: "return 1" };
    const running = hub.operations.calls.call(
      { ...ctx, findCaller: async () => ({ ...caller }) },
      { toolId, params },
    );
    await expect(running).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("a tool that the script called"),
    });
  } finally {
    await hub.close();
  }
});

test("A script that names an operation by the beginning of its id is answered, and its failure has the whole id", async () => {
  const hub = await openTestScripts();
  try {
    const shop = await hub.addRow({ tags: ["team"] });
    const { caller, ...ctx } = toTestCall(["red", "team"]);
    const run = () =>
      hub.operations.calls.call(
        { ...ctx, caller, findCaller: async () => caller },
        { toolId: `conn:${hub.rowId}/read_script`, params: { source: "return 1" } },
      );
    const named = `${shop.slice(0, 8)}/get`;
    hub.setScript(({ call }) => call(named, { id: 1 }));
    expect((await run()).value).toMatchObject({ id: 1 });
    hub.setScript(async ({ call }) => {
      await call(named, { id: 1 });
      throw new FakeEnd({ kind: "broken" });
    });
    await expect(run()).rejects.toMatchObject({
      detail: { calls: [{ tool_id: `conn:${shop}/get`, status: "success" }] },
    });
  } finally {
    await hub.close();
  }
});
