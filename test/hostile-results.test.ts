/**
 * Connectors that return values other than JSON, throw strange values or never end: each call gets an
 * answer, its run ends, no answer contains the secret, and other clients are served.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { readAudit, readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { answerNames, throwNames } from "./support/hostile-connector.ts";
import type { TestClient, ToolAnswer } from "./support/mcp-client.ts";
import { isUsageKnown, readUsage, usageSkipReason } from "./support/process-usage.ts";
import { openRaw, toRequest } from "./support/raw-http.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
const secret = "row-secret-9fK2xQ7vLm4R";
/** How much larger the huge results are than in the suite. */
const times = Number(process.env.HUB_TEST_MASS ?? "1");
const resultBytesMax = times * 256 * 1024;
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let client: TestClient;
let bystander: TestClient;
let rowId: string;
let restingMiB = 0;

beforeAll(async () => {
  const env = { HUB_RESULT_BYTES_MAX: String(resultBytesMax) };
  hub = owned.use(await startHub({ main, env, isFromSource: true }));
  const added = await hub.tryCli(
    ["row", "add", "hostile", "--label", "Hostile", "--secret-env", "secret=SECRET", "--json"],
    { env: { SECRET: secret } },
  );
  rowId = added.json<{ id: string }>().id;
  client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  bystander = owned.use(await connectHttp(hub.url, hub.adminToken()));
  if (isUsageKnown) restingMiB = readUsage(hub.pid).residentMiB;
});

afterAll(() => owned.disposeAsync());

afterEach(async () => {
  expect((await bystander.call("hub_info")).isError).toBeFalse();
});

const toolId = (operation: string) => `conn:${rowId}/${operation}`;

/** Calls an operation. Checks that neither its answer nor its run contains the secret. */
async function callNamed(operation: string, name: string, more = {}): Promise<ToolAnswer> {
  const answer = await client.execute(toolId(operation), { name, ...more });
  const run = readLastRun(hub.dataDir);
  expect(run).toMatchObject({ operation_key: operation, ended_at: expect.any(Number) });
  expect(JSON.stringify([answer, run])).not.toContain(secret);
  for (const text of [run.request, run.response]) JSON.parse(text ?? "null");
  return answer;
}

const masked = expect.stringMatching(/^hub_enc_[\w-]+$/);

/** The expected value of each successful answer. */
const expected: Record<string, unknown> = {
  nothing: null,
  a_function: null,
  a_symbol: null,
  functions_and_symbols_within: { list: [null], kept: 1 },
  no_number: { nan: null, infinity: null },
  a_date: { at: "1970-01-01T00:00:00.000Z" },
  an_invalid_date: { at: null },
  a_map: { map: {}, set: {} },
  bytes: { view: { 0: 1, 1: 2 } },
  a_class: { own: 1 },
  a_class_with_toJSON: { row: { secret: masked } },
  a_toJSON_that_changes: { value: "harmless" },
  a_getter_that_changes: { value: "harmless" },
  a_proxy_that_changes: { value: "harmless" },
  a_proxy: { a: [1] },
  without_prototype: { a: 1 },
  lone_surrogates: { "\ufffd": "\ufffd", nul: "\u0000" },
};

/** The expected code and message of each failed answer. */
const expectedFailures: Record<string, [string, RegExp]> = {
  a_proxy_that_throws: ["upstream_error", /^The proxy refuses\.$/],
  a_getter_that_throws: ["upstream_error", /^The getter refuses\.$/],
  a_toJSON_that_throws: ["upstream_error", /^toJSON refuses\.$/],
  a_revoked_proxy: ["internal", /internal error occurred in the hub/],
  cyclic: ["upstream_error", /cyclic or nested too deeply/],
  nested_deeply: ["upstream_error", /cyclic or nested too deeply/],
  shared_without_end: ["upstream_error", /so large/],
  long_and_empty: ["upstream_error", /so large/],
};

const expectedTexts: Record<string, string> = {
  a_bigint: "12345678901234567890",
  a_bigint_within: '{"value":-12345678901234567890}',
  proto_keys: '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
};

const huge = [
  "a_huge_text",
  "a_huge_text_of_secrets",
  "a_huge_list",
  "a_huge_record",
] satisfies string[];

test("The tables below list every answer of the hostile connector", () => {
  const covered = [expected, expectedFailures, expectedTexts].flatMap(Object.keys).concat(huge);
  expect(covered.toSorted()).toEqual(answerNames.toSorted());
});

test.each(
  Object.entries(expected),
)("A result that is not JSON is converted as JSON.stringify does it: %s", async (name, value) => {
  expect(await callNamed("answer", name)).toMatchObject({ isError: false, value });
});

test.each(
  Object.entries(expectedTexts),
)("A result that JSON.parse would change is returned exactly: %s", async (name, text) => {
  expect(await callNamed("answer", name)).toMatchObject({ isError: false, text });
});

test.each(
  Object.entries(expectedFailures),
)("A result that cannot be converted fails with a reason: %s", async (name, [code, words]) => {
  const answer = await callNamed("answer", name);
  expect(answer).toMatchObject({ isError: true, value: { code } });
  expect(answer.value.error).toMatch(words);
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "error", error_code: code });
});

test.each(
  someOf(2, huge),
)("A result many times as long as allowed is truncated and marked: %s", async (name) => {
  const answer = await callNamed("answer", name, { times });
  expect(answer.isError).toBeFalse();
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(resultBytesMax);
  const { bytes, cuts } = answer.value._truncated;
  expect(bytes).toBeGreaterThan(4 * resultBytesMax);
  expect(cuts).not.toBeEmpty();
  const { response } = readLastRun(hub.dataDir);
  expect(Buffer.byteLength(response ?? "")).toBeLessThanOrEqual(16 * 1024);
});

test.each(throwNames)("Whatever a connector throws, the call and its run end: %s", async (name) => {
  const answer = await callNamed("fail", name);
  expect(answer.isError).toBeTrue();
  expect(["internal", "upstream_error"]).toContain(answer.value.code);
  expect(answer.text.length).toBeLessThan(10_000);
  expect(readLastRun(hub.dataDir).status).toBe("error");
});

/** The message of a call that the client can cancel by its id. */
function toCallMessage(operation: string, id: string, meta: Record<string, unknown> = {}) {
  const message = toToolCall("hub_execute", { tool_id: toolId(operation), params: {} }, id);
  return { ...message, params: { ...message.params, _meta: meta } };
}

async function cancel(operation: string, id: string): Promise<void> {
  const params = { requestId: id };
  await postRpc(hub.url, hub.adminToken(), {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params,
  });
  await waitFor(() =>
    readAudit(hub.dataDir).some(
      ({ operation_key: key, status }) => key === operation && status === "cancelled",
    ),
  );
}

const countLines = (part: string) => hub.stderr().split(part).length - 1;

test.skipIf(!isUsageKnown)(
  `The memory of all these results is released${usageSkipReason}`,
  async () => {
    await waitFor(() => readUsage(hub.pid).residentMiB < restingMiB + 200);
  },
);

describe("Endless output", () => {
  test("An operation's log lines are limited, the limit is logged, and other calls succeed", async () => {
    const answer = postRpc(hub.url, hub.adminToken(), toCallMessage("chatter", "chatter"));
    await waitFor(() => countLines("such lines in a minute") > 0);
    expect((await client.execute(toolId("echo"), { text: "served" })).value.text).toBe("served");
    await cancel("chatter", "chatter");
    await (await answer).text();
    expect(countLines('"line ')).toBeLessThanOrEqual(600);
    expect(hub.stderr()).not.toContain(secret);
  });

  test("Endless progress arrives in order and masked at the speed of its reader", async () => {
    await using raw = await openRaw(hub.port);
    const body = JSON.stringify(toCallMessage("report", "report", { progressToken: "p" }));
    let text = "";
    raw.socket.on("data", (chunk) => {
      text += chunk;
    });
    raw.send(
      toRequest(
        "POST /mcp HTTP/1.1",
        [
          `Host: localhost:${hub.port}`,
          `Authorization: Bearer ${hub.adminToken()}`,
          "Accept: application/json, text/event-stream",
          "Content-Type: application/json",
          `Content-Length: ${Buffer.byteLength(body)}`,
        ],
        body,
      ),
    );
    const readSteps = () =>
      [...text.matchAll(/"progress":(\d+),"message":"(\d+) hub_enc_/g)].map(([, step]) =>
        Number(step),
      );
    await waitFor(() => readSteps().length > 25);
    expect((await client.execute(toolId("echo"), { text: "served" })).value.text).toBe("served");
    await cancel("report", "report");
    await waitFor(() => text.includes('"code\\":\\"cancelled'));
    const steps = readSteps();
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(new Set(steps).size).toBe(steps.length);
    expect(text).not.toContain(secret);
  });
});

test.each([
  "rejection",
  "exception",
])("A late %s outside any call is logged in one line without its message, and does not stop the hub", async (name) => {
  const loggedBefore = hub.stderr().length;
  const waiting = bystander.execute(toolId("echo"), { text: "still here" });
  expect((await client.execute(toolId("fail_late"), { name })).isError).toBeFalse();
  const line = await waitFor(() =>
    hub
      .stderr()
      .slice(loggedBefore)
      .split("\n")
      .find((text) => text.includes("outside any call")),
  );
  expect(JSON.parse(line)).toMatchObject({
    level: 50,
    err: expect.arrayContaining([expect.stringContaining("hostile-connector.ts")]),
  });
  expect(hub.stderr()).not.toContain(secret);
  expect((await waiting).value).toMatchObject({ text: "still here" });
});
