/**
 * Protects: a script has no more rights than its caller, opens no value token, and says what it has done.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { HubError } from "../errors.ts";
import { testUserId, toTestCall } from "../operations/testing/open-test-operations.ts";
import { sealValue } from "../secrets/value-tokens/value-tokens.ts";
import {
  awaitHang,
  FakeEnd,
  type FakeScript,
  openTestScripts,
  type ScriptError,
  taken,
} from "./testing/open-test-scripts.ts";

const rowSecret = "row-secret-9fK2xQ7vLm4R";
let hub: Awaited<ReturnType<typeof openTestScripts>>;
let shop: string;
let hidden: string;

beforeAll(async () => {
  hub = await openTestScripts();
  shop = await hub.addRow({ tags: ["red"], label: "Shop", secrets: { key: rowSecret } });
  hidden = await hub.addRow({ tags: ["blue"] });
});
afterAll(() => hub.close());
beforeEach(() => {
  taken.length = 0;
});

type Options = { source?: string; input?: Json; timeout_s?: number };

async function run(
  key: "read_script" | "run_script",
  script: FakeScript,
  given: Options = {},
  ctx = toTestCall(["red"]),
) {
  hub.setScript(script);
  const params = { source: "return 1", ...given };
  return await hub.operations.calls.call(ctx, { toolId: `conn:${hub.rowId}/${key}`, params });
}

const failureOf = async (work: Promise<unknown>): Promise<ScriptError> => {
  const thrown: unknown = await work.then(
    () => new Error("It succeeded"),
    (failure: unknown) => failure,
  );
  if (!(thrown instanceof HubError)) return Object(thrown);
  return { ...thrown.detail, code: thrown.code, message: thrown.message };
};

const get = (id: number) => [`conn:${shop}/get`, { id }] as const;

test("A script combines what it reads, and only what it returns is answered and recorded with it", async () => {
  const answer = await run("read_script", async ({ call }) => {
    const orders = await Promise.all([1, 2, 3].map((id) => call(...get(id))));
    return { sum: orders.map((order) => Number(Object(order).id)).reduce((a, b) => a + b) };
  });
  expect(answer.value).toEqual({ sum: 6 });
  const [script, ...calls] = (await hub.listRuns()).reverse();
  expect(script).toMatchObject({ id: answer.runId, operationKey: "read_script" });
  expect(script?.response).toBe('{"sum":6}');
  expect(calls).toHaveLength(3);
  for (const call of calls) {
    expect(call).toMatchObject({ causeKind: "script", causeId: answer.runId, parentRunId: null });
    expect(call).toMatchObject({ operationKey: "get", source: "mcp", ipAddress: "127.0.0.1" });
  }
});

test("read_script calls nothing that may change something, and says what does", async () => {
  const take = `conn:${shop}/take`;
  const failure = await failureOf(run("read_script", ({ call }) => call(take, { value: 1 })));
  expect(failure.message).toContain("read_script does not run it");
  expect(failure.calls).toEqual([{ tool_id: take, status: "denied", run_id: expect.any(String) }]);
  expect(taken).toEqual([]);
  const { value } = await run("run_script", ({ call }) => call(take, { value: 1 }));
  expect(value).toEqual({ Value: 1 });
  expect(taken).toEqual([{ Value: 1 }]);
});

test("A script learns of a hidden row what it learns of a row that does not exist", async () => {
  const seen: ScriptError[] = [];
  const unknown = crypto.randomUUID();
  await run("run_script", async ({ call }) => {
    for (const id of [hidden, unknown]) {
      await call(`conn:${id}/get`, { id: 1 }).catch((error) => seen.push({ ...error }));
    }
    return null;
  });
  const [first, second] = seen.map((error) =>
    JSON.stringify(error).replaceAll(hidden, "ID").replaceAll(unknown, "ID"),
  );
  expect(first).toContain('"code":"not_found"');
  expect(first).toBe(second);
});

test("No script calls a script", async () => {
  const codes: string[] = [];
  for (const outer of ["read_script", "run_script"] as const) {
    for (const key of ["read_script", "run_script"] as const) {
      await run(outer, async ({ call }) => {
        await call(`conn:${hub.rowId}/${key}`, { source: "return 1" }).catch((error) =>
          codes.push(error.code),
        );
        return null;
      });
    }
  }
  expect(codes).toEqual(Array(4).fill("nested_script"));
});

test("A script gets value tokens as they are, and only its calls open them", async () => {
  const token = sealValue(
    hub.ring.current(),
    { userId: testUserId, rowId: null },
    "plain-4711-Lm4R",
  );
  let seen = "";
  const { text } = await run(
    "run_script",
    async ({ script, call }) => {
      seen = JSON.stringify([script.source, script.input]);
      const taker = await call(`conn:${shop}/take`, { value: script.input });
      const order = await call(...get(7));
      return [taker, order];
    },
    { source: `return "${token}"`, input: { deep: [token] } },
  );
  expect(seen.split(token)).toHaveLength(3);
  expect(taken[0]).toEqual({ Value: { deep: ["plain-4711-Lm4R"] } });
  for (const secret of ["plain-4711-Lm4R", rowSecret]) expect(seen + text).not.toContain(secret);
  expect(text.match(/hub_enc_/g)).toHaveLength(2);
  expect(JSON.stringify(await hub.listRuns(3))).not.toContain("plain-4711");
});

test("search answers and is recorded as hub_search is, for the caller alone", async () => {
  const answer = await run("read_script", ({ search }) => search("order"));
  expect(answer.text).toContain(`conn:${shop}/get`);
  expect(answer.text).not.toContain(hidden);
  const searched = (await hub.listRuns()).find(({ operationKey }) => operationKey === "hub_search");
  expect(searched).toMatchObject({ causeKind: "script", causeId: answer.runId });
});

test("The error of a script that fails lists its last 60 calls, and how many it made", async () => {
  const failure = await failureOf(
    run("read_script", async ({ call }) => {
      for (let id = 1; id <= 70; id += 1) await call(...get(id), { fields: ["id"] });
      throw new Error("no");
    }),
  );
  expect(failure).toMatchObject({ code: "code_failed", calls_total: 70, logs: ["seen"] });
  expect(failure.message).toContain("on line 1: no. Of its 70 calls, 70 succeeded");
  expect(failure.calls).toHaveLength(60);
});

test("A script whose process ends is not run again, and its error lists what it called", async () => {
  let runs = 0;
  const failure = await failureOf(
    run("run_script", async ({ call }) => {
      runs += 1;
      await call(`conn:${shop}/take`, { value: 1 });
      const hangs = awaitHang();
      void call(`conn:${shop}/hang`).catch(() => {});
      await hangs;
      throw new FakeEnd({ kind: "broken" });
    }),
  );
  expect(failure).toMatchObject({
    code: "code_failed",
    calls: [{ status: "success" }, { status: "cancelled" }],
    calls_total: 2,
  });
  expect(failure.message).toContain("Of its 2 calls, 1 succeeded");
  expect([runs, taken.length]).toEqual([1, 1]);
});

test("A script that takes too long has the code of a script that failed", async () => {
  const error = new HubError("timeout", "The script did not end within its 60 s.");
  const failure = await failureOf(
    run("read_script", async () => {
      throw new FakeEnd({ kind: "failed", error, logs: [] });
    }),
  );
  expect(failure).toEqual({ code: "code_failed", message: error.message });
});

test("The end of its call ends a script and its calls", async () => {
  const cancel = new AbortController();
  const hangs = awaitHang();
  const running = run(
    "read_script",
    ({ call }) => call(`conn:${shop}/hang`),
    {},
    toTestCall(["red"], { signal: cancel.signal }),
  );
  await hangs;
  cancel.abort();
  expect((await failureOf(running)).code).toBe("cancelled");
  for (;;) {
    const runs = await hub.listRuns(2);
    if (runs.every(({ status }) => status === "cancelled")) break;
    await Bun.sleep(5);
  }
});

test("A source over 64 KiB and a time over 300 s are refused by their names", async () => {
  const never: FakeScript = async () => {
    throw new Error("It ran");
  };
  const issues = [];
  for (const given of [{ source: "é".repeat(33_000) }, { timeout_s: 301 }, { timeout_s: 0 }]) {
    const failure = await failureOf(run("run_script", never, given));
    issues.push([failure.code, Object(failure.issues)[0]?.path]);
  }
  expect(issues).toEqual([
    ["invalid_params", "source"],
    ["invalid_params", "timeout_s"],
    ["invalid_params", "timeout_s"],
  ]);
});

test("What a process sends in place of a question is refused by its name", async () => {
  const { value } = await run("read_script", async ({ call, search }) => {
    const paths: string[] = [];
    const wrong = [
      () => call(`conn:${"x".repeat(600)}`),
      () => call(...get(1), { fields: [] }),
      () => call(`conn:${shop}/get`, "id"),
      () => search("x".repeat(1001)),
    ];
    for (const ask of wrong) await ask().catch(({ issues }) => paths.push(issues[0].path));
    return paths;
  });
  expect(value).toEqual(["tool_id", "fields", "params", "query"]);
});

test("Calls and searches of scripts count under the limit of a minute, and guesses of a weak secret as alone", async () => {
  const limited = await openTestScripts({ user: { perMinute: 8 }, guessesPerHour: 20 });
  try {
    const weak = await limited.addRow({ tags: ["red"], secrets: { key: "482913" } });
    const toolId = `conn:${limited.rowId}/run_script`;
    const params = { source: "return 1" };
    const codes: string[] = [];
    limited.setScript(async ({ call, search }) => {
      // One of the eight calls is the script.
      const guess = "391827 482910 482911 482912 773311";
      for (let at = 0; at < 5; at += 1) {
        const sent = { value: `${at} ${guess}`.slice(0, -1) + at };
        await call(`conn:${weak}/take`, sent).then(
          () => codes.push("made"),
          ({ code, budget }) => codes.push(`${code} ${budget}`),
        );
      }
      await search("order");
      await search("order");
      await search("order").catch(({ code, budget }) => codes.push(`${code} ${budget}`));
      return null;
    });
    await limited.operations.calls.call(toTestCall(["red"]), { toolId, params });
    const first = codes.findIndex((code) => code !== "made");
    expect(first).toBeWithin(1, 5);
    expect(codes.slice(first, -1)).toEqual(Array(5 - first).fill("rate_limited guesses"));
    expect(codes.at(-1)).toBe("rate_limited undefined");
  } finally {
    await limited.close();
  }
});

test("A token of one row opens in no call of another one, however a script puts it together", async () => {
  const other = await hub.addRow({ tags: ["red"], secrets: { key: "other-secret-7hT3yW8nBq5Z" } });
  const codes: string[] = [];
  const { text } = await run("run_script", async ({ call }) => {
    const order = Object(await call(...get(1)));
    const token: string = order.key;
    const half = Math.floor(token.length / 2);
    for (const value of [
      token,
      token.slice(0, half) + token.slice(half),
      { deep: [`Bearer ${token}`] },
      `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
    ]) {
      await call(`conn:${other}/take`, { value }).then(
        () => codes.push("opened"),
        ({ code }) => codes.push(code),
      );
    }
    return [...token].join(" ");
  });
  expect(codes).toEqual(Array(4).fill("token_invalid"));
  expect(taken).toHaveLength(1);
  expect(text + JSON.stringify(await hub.listRuns(10))).not.toContain(rowSecret);
});

test("Nothing of a source, an input or what a script threw is in the log", async () => {
  const before = hub.logged.length;
  const failure = await failureOf(
    run(
      "run_script",
      async ({ call }) => {
        await call(`conn:${shop}/fail`).catch(() => {});
        throw new Error("thrown-text-8812");
      },
      { source: "return 'source-text-8812'", input: "input-text-8812" },
    ),
  );
  expect(failure.message).toContain("thrown-text-8812");
  expect(JSON.stringify(hub.logged.slice(before))).not.toContain("8812");
});
