/** Protects: a call within a message is checked, limited, masked, recorded and cancelled as if it came alone. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { defineConnector, UpstreamError, wick } from "@hub/connector";
import { openValue, sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import type { RunRecord } from "../../store/runs/runs-table.ts";
import type { BatchRequest, CallContext, ProgressReport } from "../operations.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";
import { createInnerCalls } from "./inner-calls.ts";

const secrets = { one: "secret-of-one-9fK2xQ7vLm4R", two: "secret-of-two-7hT3yW8nBq5Z" };

/** The calls of `hold` that run, by their name, with the function that ends each. */
const held = new Map<string, () => void>();
let mostHeld = 0;
const written: string[] = [];

const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret") },
  operations: {
    echo: {
      description: "Returns what it got.",
      reads: true,
      input: { Text: wick(""), Password: wick("secret") },
      run: ({ config, params: { Text, Password } }) => ({
        text: Text,
        password: Password,
        token: config.Token,
      }),
    },
    refuse: {
      description: "Fails as the outside system does.",
      reads: true,
      run({ config }) {
        throw new UpstreamError(`403 for ${config.Token}`, { httpStatus: 403 });
      },
    },
    big: {
      description: "Answers too much.",
      reads: true,
      run: () => ({ items: Array.from({ length: 9_999 }, (_, id) => ({ id })) }),
    },
    hold: {
      description: "Runs until the test or its signal ends it.",
      reads: true,
      input: { Name: wick("required") },
      run: ({ params: { Name }, signal, progress }) =>
        new Promise((resolve, reject) => {
          progress(1, 2, "half");
          const end = (complete: () => void) => {
            held.delete(Name);
            complete();
          };
          held.set(Name, () => end(() => resolve({ name: Name })));
          mostHeld = Math.max(mostHeld, held.size);
          signal.addEventListener("abort", () => end(() => reject(new Error("stopped"))));
        }),
    },
    write: {
      description: "Writes. It is not marked as one that reads.",
      input: { Text: wick("required") },
      run: ({ params }) => written.push(params.Text),
    },
  },
});

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
const opened: Hub[] = [];

async function open(options: Parameters<typeof openTestOperations>[1] = {}) {
  const hub = await openTestOperations(connector, { resultBytesMax: 1024 ** 2, ...options });
  opened.push(hub);
  const one = await hub.addRow({ label: "One", tags: ["team"], secrets: { token: secrets.one } });
  const two = await hub.addRow({ label: "Two", tags: ["team"], secrets: { token: secrets.two } });
  const call = (operation: string, params: Record<string, unknown> = {}, rowId = one) => ({
    toolId: `conn:${rowId}/${operation}`,
    params,
  });
  const read = async (batch: BatchRequest, ctx: CallContext = toTestCall(["team"])) => {
    const answer = await hub.operations.batches.read(ctx, batch);
    return { ...answer, results: JSON.parse(answer.text).results };
  };
  const runs = async () => {
    const all = await hub.listRuns(500);
    const outer = all.filter(({ operationKey }) => operationKey === "hub_read");
    return { outer, inner: all.filter((run) => !outer.includes(run)).toReversed() };
  };
  return { hub, one, two, call, read, runs };
}

let shared: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  shared = await open();
});
afterAll(() => Promise.all(opened.map((hub) => hub.close())));
afterEach(() => {
  for (const end of held.values()) end();
  mostHeld = 0;
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const toStatuses = (results: ReadonlyArray<{ status: string }>) =>
  results.map(({ status }) => status);

test("Of 100 calls with one refused, one failing and one too large, each has its own outcome and record", async () => {
  const { call, read, runs, one } = shared;
  const before = (await runs()).inner.length;
  const calls = Array.from({ length: 100 }, (_, index) => call("echo", { text: `call ${index}` }));
  calls[10] = call("write", { text: "never" });
  calls[20] = call("refuse");
  calls[30] = call("big");
  const { results, isError, runId } = await read({ calls });
  expect(results).toHaveLength(100);
  expect(isError).toBeUndefined();
  expect(written).toEqual([]);
  expect(results[10]).toMatchObject({ status: "denied", code: "destructive_operation" });
  expect(results[10].result).toBeUndefined();
  expect(results[20]).toMatchObject({ status: "error", code: "upstream_error", http_status: 403 });
  const bytesMax = Math.floor(1024 ** 2 / 100);
  expect(results[30]).toMatchObject({
    status: "success",
    result: { _truncated: { bytes_max: bytesMax } },
  });
  expect(JSON.stringify(results[30].result).length).toBeLessThanOrEqual(bytesMax);
  for (const [index, { tool_id, status, result }] of results.entries()) {
    expect(tool_id).toBe(calls[index]?.toolId);
    if (![10, 20, 30].includes(index)) {
      expect([status, result.text]).toEqual(["success", `call ${index}`]);
    }
  }
  const { outer, inner } = await runs();
  const made = inner.slice(before);
  expect(made).toHaveLength(100);
  for (const run of made) expect(run).toMatchObject({ causeKind: "batch", causeId: runId });
  const statusOf = (operation: string) =>
    made.find((run) => run.operationKey === operation)?.status;
  expect([statusOf("write"), statusOf("refuse"), statusOf("big")]).toEqual([
    "denied",
    "error",
    "success",
  ]);
  expect(made.find(({ request }) => request?.includes("call 7"))).toMatchObject({
    connectorId: one,
    rowLabel: "One",
    source: "mcp",
    tokenId: "token-1",
  });
  const record = outer.find(({ id }) => id === runId) as RunRecord;
  expect(record).toMatchObject({ status: "success", connectorId: null, causeKind: "client" });
  expect(JSON.parse(record.request ?? "")).toEqual({ calls: 100 });
  expect(JSON.parse(record.response ?? "")).toEqual({
    calls: 100,
    success: 98,
    denied: 1,
    error: 1,
  });
});

test("A slow call holds no other, and five run at once", async () => {
  const { call, read } = shared;
  const calls = [
    call("hold", { name: "slow" }),
    ...Array.from({ length: 20 }, (_, index) => call("hold", { name: `${index}` })),
  ];
  const answer = read({ calls });
  for (let ended = 0; ended < 20; ended += 1) {
    await until(() => held.has(`${ended}`));
    held.get(`${ended}`)?.();
  }
  await until(() => held.size === 1);
  expect([...held.keys()]).toEqual(["slow"]);
  held.get("slow")?.();
  expect(new Set(toStatuses((await answer).results))).toEqual(new Set(["success"]));
  expect(mostHeld).toBe(5);
});

test("Ordered calls run one after the other, and stop_on_error leaves the rest not run and unrecorded", async () => {
  const { call, read, runs } = shared;
  const before = (await runs()).inner.length;
  const calls = [
    call("echo"),
    call("hold", { name: "a" }),
    call("refuse"),
    call("echo"),
    call("echo"),
  ];
  const answer = read({ calls, ordered: true, stopOnError: true });
  await until(() => held.size === 1);
  expect((await runs()).inner.length - before).toBe(2);
  held.get("a")?.();
  const { results, isError, runId } = await answer;
  expect(toStatuses(results)).toEqual(["success", "success", "error", "not_run", "not_run"]);
  expect(results[4].error).toContain("was not made");
  expect(isError).toBeUndefined();
  const { inner, outer } = await runs();
  expect(inner.length - before).toBe(3);
  expect(JSON.parse(outer.find(({ id }) => id === runId)?.request ?? "")).toEqual({
    calls: 5,
    ordered: true,
    stop_on_error: true,
  });
});

test("A message of which all calls failed is a failure, with every result", async () => {
  const { call, read, runs } = shared;
  const { results, isError, runId } = await read({ calls: [call("refuse"), call("nothing")] });
  expect(isError).toBe(true);
  expect(toStatuses(results)).toEqual(["error", "denied"]);
  const { outer } = await runs();
  const record = outer.find(({ id }) => id === runId);
  expect(record).toMatchObject({ status: "error", errorCode: "upstream_error" });
  expect(record?.errorMsg).toStartWith(
    "None of the 2 calls succeeded. The first: 403 for hub_enc_",
  );
});

test("A name of no operation is repeated cut, as text that every JSON reader takes", async () => {
  const { read } = shared;
  const emoji = "\u{1f600}".repeat(60);
  const { text, results } = await read({
    calls: [
      { toolId: `${"x".repeat(119)}\u{1f600}`, params: {} },
      { toolId: "", named: { row: emoji, operation: "\ud83d" }, params: {} },
    ],
  });
  expect(text).not.toMatch(/\\ud[89a-f]/);
  expect(results[0].tool_id).toBe(`${"x".repeat(119)}\ufffd`);
  expect(results[1]).toMatchObject({ row: emoji.slice(0, 120), operation: "\ufffd" });
});

describe("limits", () => {
  test("A user who may have one call at once gets all results: the message holds no place", async () => {
    const { call, read } = await open({ user: { atOnce: 1 } });
    const calls = Array.from({ length: 6 }, (_, index) => call("hold", { name: `${index}` }));
    const answer = read({ calls });
    for (let index = 0; index < 6; index += 1) {
      await until(() => held.has(`${index}`));
      held.get(`${index}`)?.();
    }
    expect(new Set(toStatuses((await answer).results))).toEqual(new Set(["success"]));
    expect(mostHeld).toBe(1);
  });

  test("100 calls to one row run within its limit and let calls to other rows pass", async () => {
    const { call, read, two } = await open({ row: { atOnce: 2 } });
    const calls = Array.from({ length: 99 }, (_, index) => call("hold", { name: `${index}` }));
    const answer = read({ calls: [...calls, call("hold", { name: "other" }, two)] });
    await until(() => held.size === 3);
    expect([...held.keys()].sort()).toEqual(["0", "1", "other"]);
    held.get("other")?.();
    for (let index = 0; index < 99; index += 1) {
      await until(() => held.has(`${index}`));
      expect(held.size).toBeLessThanOrEqual(2);
      held.get(`${index}`)?.();
    }
    expect(new Set(toStatuses((await answer).results))).toEqual(new Set(["success"]));
  });

  test("Calls to one row run within its limit, however they name it", async () => {
    const { read, one } = await open({ row: { atOnce: 1 } });
    const names = [
      { toolId: `conn:${one}/hold` },
      { toolId: `conn:${one.slice(0, 8)}/hold` },
      { toolId: `${one.slice(0, 13).toUpperCase()}/hold` },
    ];
    const labels = ["Two", " two ", "TWO"].map((row) => ({
      toolId: "",
      named: { row, operation: "hold" },
    }));
    for (const named of [names, labels]) {
      const calls = named.map((name, index) => ({ ...name, params: { name: `${index}` } }));
      const answer = read({ calls });
      for (let index = 0; index < calls.length; index += 1) {
        await until(() => held.has(`${index}`));
        held.get(`${index}`)?.();
      }
      expect(toStatuses((await answer).results)).toEqual(["success", "success", "success"]);
    }
    expect(mostHeld).toBe(1);
  });

  test("Each call counts, and those beyond the limit of a minute are refused in their place", async () => {
    const { call, read, runs } = await open({ user: { perMinute: 5 } });
    const { results } = await read({
      calls: Array.from({ length: 10 }, () => call("echo")),
      ordered: true,
    });
    const expected = [...Array(4).fill("success"), ...Array(6).fill("denied")];
    expect(toStatuses(results)).toEqual(expected);
    expect(results[9]).toMatchObject({ code: "rate_limited", retry_after_s: expect.any(Number) });
    // One record a minute counts the refused calls.
    expect((await runs()).inner).toHaveLength(5);
  });
});

describe("secrets", () => {
  test("Each result has the secrets of its own row as that row's tokens, unchanged by the message", async () => {
    const { call, read, one, two, hub } = shared;
    const text = `not a secret here: ${secrets.two.slice(0, 8)}`;
    const calls = [call("echo", { text }), call("echo", { text }, two), call("refuse", {}, two)];
    const { text: whole, results } = await read({ calls });
    expect(whole).not.toContain(secrets.one);
    expect(whole).not.toContain(secrets.two);
    const openToken = (token: string, rowId: string) =>
      openValue(hub.ring.current(), { userId: testUserId, rowId }, token);
    expect(openToken(results[0].result.token, one)).toBe(secrets.one);
    expect(openToken(results[1].result.token, two)).toBe(secrets.two);
    expect(results[0].result.text).toBe(text);
    const [token = ""] = /hub_enc_[\w-]+/.exec(results[2].error) ?? [];
    expect(openToken(token, two)).toBe(secrets.two);
  });

  test("A value token is opened in its own call only", async () => {
    const { call, read, one, two, hub, runs } = shared;
    const password = "typed-by-ada-4Qm8Lr2Vx9";
    const owner = { userId: testUserId, rowId: one };
    const token = sealValue(hub.ring.current(), owner, password);
    const calls = [
      call("echo", { password: token }),
      call("echo", { password: token }, two),
      call("echo", { text: token }, two),
    ];
    const { text, results } = await read({ calls });
    expect(toStatuses(results)).toEqual(["success", "denied", "denied"]);
    expect(results[1].code).toBe("token_invalid");
    expect(openValue(hub.ring.current(), owner, results[0].result.password)).toBe(password);
    expect(text).not.toContain(password);
    expect(JSON.stringify(await runs())).not.toContain(password);
  });
});

describe("cancellation", () => {
  test("A client that cancels ends all running calls, and those that have not begun are not recorded", async () => {
    const { call, read, runs } = shared;
    const before = await runs();
    const abort = new AbortController();
    const calls = Array.from({ length: 9 }, (_, index) => call("hold", { name: `${index}` }));
    const ctx = toTestCall(["team"], { signal: abort.signal });
    const answer = read({ calls }, ctx).catch(({ code }) => code);
    await until(() => held.size === 5);
    abort.abort();
    expect(await answer).toBe("cancelled");
    const { inner, outer } = await runs();
    const made = inner.slice(before.inner.length);
    expect(made.map(({ status }) => status)).toEqual(Array(5).fill("cancelled"));
    expect(outer[0]).toMatchObject({ status: "cancelled" });
    expect(held.size).toBe(0);
  });

  test("An admin cancels the whole message by its record, or one call by its own", async () => {
    const { call, read, runs, hub } = shared;
    const answer = read({ calls: [call("hold", { name: "a" }), call("hold", { name: "b" })] });
    await until(() => held.size === 2);
    const { inner, outer } = await runs();
    const first = inner.find(
      ({ status, request }) => status === "running" && request?.includes("a"),
    );
    expect(hub.operations.running.cancel(first?.id ?? "", "Enough.")).toBe(true);
    await until(() => held.size === 1);
    const running = outer.find(({ status }) => status === "running");
    held.get("b")?.();
    const { results, runId } = await answer;
    expect(runId).toBe(running?.id ?? "");
    expect(results).toMatchObject([
      { status: "cancelled", error: "Enough." },
      { status: "success" },
    ]);

    const second = read({ calls: [call("hold", { name: "c" })] }).catch(({ message }) => message);
    await until(() => held.size === 1);
    const again = (await runs()).outer.find(({ status }) => status === "running");
    expect(hub.operations.running.cancel(again?.id ?? "", "All of it.")).toBe(true);
    expect(await second).toBe("All of it.");
    expect(hub.operations.running.count()).toBe(0);
  });
});

describe("progress", () => {
  test("Ended calls are counted for a client with a token, and the calls' own progress is not passed on", async () => {
    const { call, read } = shared;
    const reports: ProgressReport[] = [];
    const ctx = { ...toTestCall(["team"], { reports }), hasProgressToken: true };
    const answer = read(
      { calls: [call("hold", { name: "a" }), call("refuse"), call("echo")] },
      ctx,
    );
    await until(() => reports.length === 2);
    held.get("a")?.();
    await answer;
    expect(reports).toEqual([1, 2, 3].map((done) => ({ done, total: 3 })));
  });

  test("Without a token nothing is reported, so that a short answer is no event stream", async () => {
    const { call, read } = shared;
    const reports: ProgressReport[] = [];
    await read({ calls: [call("echo"), call("echo")] }, toTestCall(["team"], { reports }));
    expect(reports).toEqual([]);
  });
});

describe("rights that end while the message runs", () => {
  /** Lets a time pass for durations. */
  function passTime(ms: number) {
    const at = performance.now.bind(performance);
    const spy = spyOn(performance, "now").mockImplementation(() => at() + ms);
    return { [Symbol.dispose]: () => spy.mockRestore() };
  }

  const withRights = (tags: string[], find: () => CallContext["caller"] | null): CallContext => ({
    ...toTestCall(tags),
    findCaller: async () => find(),
  });

  test("Calls that begin later are not made, and nothing is answered", async () => {
    const { call, read, runs } = shared;
    const before = (await runs()).inner.length;
    let isIn = true;
    const { caller } = toTestCall(["team"]);
    const ctx = withRights(["team"], () => (isIn ? caller : null));
    const calls = [call("hold", { name: "a" }), call("echo"), call("echo")];
    const answer = read({ calls, ordered: true }, ctx).catch(({ code }) => code);
    await until(() => held.size === 1);
    using _ = passTime(2_000);
    isIn = false;
    held.get("a")?.();
    expect(await answer).toBe("unauthorized");
    expect((await runs()).inner.length - before).toBe(1);
  });

  test("A call that fails before it has a record is in the log", async () => {
    const { call, read, hub } = shared;
    let reads = 0;
    const ctx = withRights(["team"], () => {
      reads += 1;
      // The first one is at the end of the call that held.
      if (reads === 2) throw new Error("The database is away");
      return toTestCall(["team"]).caller;
    });
    const before = hub.logged.length;
    const answer = read({ calls: [call("hold", { name: "a" }), call("echo")], ordered: true }, ctx);
    await until(() => held.size === 1);
    using _ = passTime(2_000);
    held.get("a")?.();
    const { results } = await answer;
    expect(results[1]).toMatchObject({ status: "not_run", code: "internal" });
    expect(JSON.stringify(results)).not.toContain("database");
    const reason = "Error: The database is away";
    expect(hub.logged.slice(before)).toMatchObject([{ fields: { operation: "hub_read", reason } }]);
  });

  test("A result whose row its caller may no longer see is left out, and later calls are refused", async () => {
    const { call, read, one, two, hub } = shared;
    const other = await hub.addRow({ label: "Other", tags: ["lab"] });
    let tags = ["team", "lab"];
    const ctx = withRights(tags, () => toTestCall(tags).caller);
    const calls = [
      call("echo", {}, one),
      call("refuse", {}, one),
      call("hold", { name: "a" }, other),
      call("echo", {}, two),
    ];
    const answer = read({ calls, ordered: true }, ctx);
    await until(() => held.size === 1);
    using _ = passTime(2_000);
    tags = ["lab"];
    held.get("a")?.();
    const { results } = await answer;
    expect(results).toMatchObject([
      { status: "denied", code: "not_found" },
      { status: "denied", code: "not_found" },
      { status: "success" },
      { status: "denied", code: "not_found" },
    ]);
    expect(results[0].result).toBeUndefined();
  });
});

test("Calls of a script have its run as their cause, and never reject", async () => {
  const { call, hub, runs } = shared;
  const ctx = toTestCall(["team"]);
  const cause = { kind: "script", id: crypto.randomUUID() } as const;
  const inner = createInnerCalls({ calls: hub.operations.calls }, ctx, cause);
  const own = new AbortController();
  const never = inner.call(call("hold", { name: "never" }), own.signal);
  own.abort();
  expect(await never).toMatchObject({ status: "not_run", error: { code: "cancelled" } });
  const waiting = Array.from({ length: 5 }, (_, index) =>
    inner.call(call("hold", { name: `${index}` })),
  );
  await until(() => held.size === 5);
  for (const end of held.values()) end();
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["success"]));
  const made = (await runs()).inner.filter(({ causeId }) => causeId === cause.id);
  expect(made.map(({ causeKind }) => causeKind)).toEqual(Array(5).fill("script"));
});
