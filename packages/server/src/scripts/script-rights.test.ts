/** Protects: a script ends with the right of its caller, and waits for no limit because of itself. */
import { expect, spyOn, test } from "bun:test";
import { HubError } from "../errors.ts";
import type { CallContext } from "../operations/operations.ts";
import { toTestCall } from "../operations/testing/open-test-operations.ts";
import { FakeEnd, openTestScripts, taken } from "./testing/open-test-scripts.ts";

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

test("A search of a script counts among the running calls of its user", async () => {
  const limited = await openTestScripts({ user: { atOnce: 1 } });
  try {
    const [toolId, whoami] = ["run_script", "whoami"].map((key) => `conn:${limited.rowId}/${key}`);
    limited.setScript(({ call, search }) =>
      Promise.all([search("order"), call(String(whoami)), search("order"), call(String(whoami))]),
    );
    const ctx = toTestCall(["red"]);
    const params = { source: "return 1" };
    const { value } = await limited.operations.calls.call(ctx, { toolId: String(toolId), params });
    expect(value).toMatchObject([{ query: "order" }, { name: "Ada" }, {}, {}]);
  } finally {
    await limited.close();
  }
});

test("Five calls of a script run at once", async () => {
  const hub = await openTestScripts();
  const cancel = new AbortController();
  try {
    const shop = await hub.addRow({ tags: ["red"] });
    hub.setScript(({ call }) =>
      Promise.all(Array.from({ length: 6 }, () => call(`conn:${shop}/hang`))),
    );
    const ctx = toTestCall(["red"], { signal: cancel.signal });
    const params = { source: "return 1" };
    const toolId = `conn:${hub.rowId}/read_script`;
    const ended = hub.operations.calls.call(ctx, { toolId, params }).catch(({ code }) => code);
    const countHanging = async () =>
      (await hub.listRuns()).filter(({ operationKey }) => operationKey === "hang").length;
    while ((await countHanging()) < 5) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(await countHanging()).toBe(5);
    }
    cancel.abort();
    expect(await ended).toBe("cancelled");
  } finally {
    await hub.close();
  }
});

test("The error of a script names records of its calls that exist, and none of those that a limit only counts", async () => {
  const hub = await openTestScripts({ user: { perMinute: 3 } });
  try {
    const shop = await hub.addRow({ tags: ["red"] });
    hub.setScript(async ({ call }) => {
      for (let id = 1; id <= 5; id += 1) await call(`conn:${shop}/get`, { id }).catch(() => {});
      throw new Error("no");
    });
    const params = { source: "return 1" };
    const toolId = `conn:${hub.rowId}/read_script`;
    const failure: HubError = await hub.operations.calls
      .call(toTestCall(["red"]), { toolId, params })
      .then(Promise.reject, (thrown) => thrown);
    const runs = new Map((await hub.listRuns()).map(({ id, status }) => [id, status]));
    const made = failure.detail.calls as { status: string; run_id: string | null }[];
    const recorded = made.map(({ run_id: id }) => id && runs.get(id));
    expect(made.map(({ status }) => status)).toEqual([
      ...["success", "success"],
      ...["denied", "denied", "denied"],
    ]);
    expect(recorded).toEqual(["success", "success", "denied", null, null]);
  } finally {
    await hub.close();
  }
});

test("A search that fails before it has a record is in the log, and the script does not learn why", async () => {
  const hub = await openTestScripts();
  const at = performance.now.bind(performance);
  const spy = spyOn(performance, "now");
  try {
    const ctx = toTestCall(["red"]);
    let reads = 0;
    const findCaller = async () => {
      reads += 1;
      if (reads === 1) throw new Error("The database is away");
      return ctx.caller;
    };
    hub.setScript(({ search }) => {
      spy.mockImplementation(() => at() + 2_000);
      return search("order").catch(({ code, message }) => ({ code, message }));
    });
    const params = { source: "return 1" };
    const toolId = `conn:${hub.rowId}/read_script`;
    const { text } = await hub.operations.calls.call({ ...ctx, findCaller }, { toolId, params });
    expect(text).toContain('"code":"internal"');
    expect(text).not.toContain("database");
    expect(hub.logged.map(({ message }) => message)).toEqual(["Error: The database is away"]);
  } finally {
    spy.mockRestore();
    await hub.close();
  }
});

/** Runs a script whose caller loses the tag "team" after the call of a row that only this tag sees. */
async function loseTag(
  operation: "get" | "fail",
  toId: (rowId: string) => string = (rowId) => rowId,
): Promise<unknown> {
  const hub = await openTestScripts();
  try {
    const shop = await hub.addRow({ tags: ["team"] });
    const ctx = toTestCall(["red", "team"]);
    const caller = { ...ctx.caller };
    hub.setScript(async ({ call }) => {
      const order = await call(`conn:${toId(shop)}/${operation}`, { id: 1 }).catch(String);
      caller.tags = new Set(["red"]);
      return order;
    });
    const toolId = `conn:${hub.rowId}/read_script`;
    const params = { source: "return 1" };
    const findCaller = async () => ({ ...caller });
    return await hub.operations.calls
      .call({ ...ctx, findCaller }, { toolId, params })
      .then(({ value }) => value)
      .catch(({ code, message }) => ({ code, message }));
  } finally {
    await hub.close();
  }
}

test.each([
  ["read", "get"],
  ["got as the message of a failure", "fail"],
] as const)("What a script has %s is not answered once its caller may no longer see it", async (_, key) => {
  const lost = {
    code: "not_found",
    message: expect.stringContaining("a tool that the script called"),
  };
  expect(await loseTag(key)).toEqual(lost);
  expect(await loseTag(key, (rowId) => rowId.slice(0, 13))).toEqual(lost);
});

test("A script that names a tool by the beginning of its id answers, and its error has the whole id", async () => {
  const hub = await openTestScripts();
  try {
    const shop = await hub.addRow({ tags: ["red"] });
    const ctx = toTestCall(["red"]);
    const toolId = `conn:${hub.rowId}/read_script`;
    const params = { source: "return 1" };
    const findCaller = async () => ctx.caller;
    const get = `conn:${shop.slice(0, 13)}/get`;
    const { calls } = hub.operations;
    hub.setScript(({ call }) => call(get, { id: 5 }));
    const run = async (): Promise<unknown> =>
      (await calls.call({ ...ctx, findCaller }, { toolId, params })).value;
    expect(await run()).toMatchObject({ id: 5 });
    hub.setScript(async ({ call }) => {
      await call(get, { id: 5 });
      throw new Error("no");
    });
    const failure: HubError = await run().then(Promise.reject, (thrown) => thrown);
    expect(failure.detail.calls).toMatchObject([
      { tool_id: `conn:${shop}/get`, status: "success" },
    ]);
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

test.each([
  ["a client", "mcp", "unauthorized", (): Promise<null> => Promise.resolve(null)],
  [
    "a workflow",
    "workflow",
    "forbidden",
    (): Promise<null> =>
      Promise.reject(new HubError("forbidden", "The owner of this workflow is not active.")),
  ],
] as const)("A script of %s makes no call after its user was disabled", async (_, source, code, find) => {
  const hub = await openTestScripts();
  const at = performance.now.bind(performance);
  const spy = spyOn(performance, "now");
  try {
    const shop = await hub.addRow({ tags: ["red"] });
    const ctx = toTestCall(["red"]);
    let isIn = true;
    const codes: string[] = [];
    hub.setScript(async ({ call, search }) => {
      await call(`conn:${shop}/get`, { id: 1 });
      isIn = false;
      // As if the first call had taken so long.
      spy.mockImplementation(() => at() + 2_000);
      for (const ask of [() => call(`conn:${shop}/take`, { value: 1 }), () => search("order")]) {
        await ask().catch((error) => codes.push(error.code));
      }
      return null;
    });
    taken.length = 0;
    const disabled: CallContext = {
      ...ctx,
      origin: { ...ctx.origin, source },
      findCaller: async () => (isIn ? ctx.caller : await find()),
    };
    const params = { source: "return 1" };
    const toolId = `conn:${hub.rowId}/run_script`;
    const ended = await hub.operations.calls.call(disabled, { toolId, params }).catch((e) => e);
    expect(ended.code).toBe(code);
    expect(codes).toEqual([code, code]);
    expect(taken).toHaveLength(1);
  } finally {
    spy.mockRestore();
    await hub.close();
  }
});
