import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { httpConnector } from "../connectors/builtin/http/http-connector.ts";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import { toToolId } from "../operations/catalogue/tool-id.ts";
import { updateRow } from "../store/rows/rows-table.ts";
import { openCallEngine } from "../workflows/engine/testing/open-call-engine.ts";
import { slackConnector } from "./slack/slack-connector.ts";
import { telegramConnector } from "./telegram/telegram-connector.ts";

type Answer = { status: number; headers?: Record<string, string>; body?: object };

/** Refuses the first request of each test with this answer. */
let refusal: Answer | null = null;
let requests = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch() {
    requests += 1;
    const answer = refusal;
    refusal = null;
    const {
      status,
      headers = {},
      body = {},
    } = answer ?? {
      status: 200,
      body: {
        ok: true,
        channel: "C1",
        ts: "1.1",
        result: { message_id: 7, date: 1, chat: { id: 5, type: "private" } },
      },
    };
    return Response.json(body, { status, headers });
  },
});
afterAll(() => server.stop(true));
const base = `http://127.0.0.1:${server.port}`;

type Target = "telegram" | "slack" | "http" | "http node";
type Node = NonNullable<WorkflowBodyInput["nodes"]>[number];

/** The pauses between requests, which the engine skips. Calls and nodes have shorter or other limits. */
let pauses: number[] = [];
const timers: Timers = {
  ...systemTimers,
  after(ms, action) {
    const isPause = ms >= 1000 && requests === 1 && ms !== callLimitMs;
    if (isPause) pauses.push(ms);
    return systemTimers.after(isPause ? 0 : ms, action);
  },
};
const callLimitMs = 60_000;

let hub: Awaited<ReturnType<typeof openCallEngine>>;
const toolIds = new Map<string, string>();
beforeAll(async () => {
  hub = await openCallEngine(telegramConnector, {
    operations: { others: [slackConnector, httpConnector], outboundAllow: ["127.0.0.1"] },
    http: { allow: ["127.0.0.1"] },
    engine: { timers },
  });
  const rows: { connectorKey: string; secrets: Record<string, string> }[] = [
    { connectorKey: "telegram", secrets: { token: "7:abc" } },
    { connectorKey: "slack", secrets: { bot_token: "xoxb-1" } },
    { connectorKey: "http", secrets: {} },
  ];
  for (const { connectorKey, secrets } of rows) {
    const values = { base_url: `${base}/` };
    const id = await hub.calls.addRow({ tags: ["everyone"], connectorKey, values, secrets });
    toolIds.set(connectorKey, toToolId(id, "get"));
    if (connectorKey === "http") continue;
    await updateRow(hub.calls.store.db, id, { slug: `my-${connectorKey}` }, Date.now());
  }
});
afterAll(() => hub[Symbol.asyncDispose]());

function toNode(target: Target): Node {
  const send = { id: "send", retry: { attempts: 3, backoff_s: 1 } };
  if (target === "http node") return { ...send, type: "http", method: "POST", url: base };
  if (target === "http") {
    const toolId = toolIds.get("http") ?? "";
    return { ...send, type: "operation", tool_id: toolId, params: { path: "/" } };
  }
  const args = { channel_id: target === "slack" ? "C1" : "5", text: "Hello" };
  return { ...send, type: "channel", channel: `my-${target}`, op: "send_message", args };
}

/** Runs one node whose first request is refused. */
async function run(target: Target, answer: Answer) {
  refusal = answer;
  requests = 0;
  pauses = [];
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "send" }],
    nodes: [toNode(target)],
  });
  const { state, error } = await hub.untilParked(await hub.run(workflow));
  return { state, error, pauses, requests };
}

const telegram429 = {
  status: 429,
  body: {
    ok: false,
    error_code: 429,
    description: "Too Many Requests: retry after 4",
    parameters: { retry_after: 4 },
  },
};
const slack429 = {
  status: 429,
  headers: { "retry-after": "40" },
  body: { ok: false, error: "ratelimited" },
};
/** A server's clock, in seconds: dates count from it, and not from the hub's clock. */
const sentAt = Date.UTC(2031, 4, 6, 7, 8, 9) / 1000;
const date = { date: new Date(sentAt * 1000).toUTCString() };
const limited = (headers: Record<string, string>, status = 429) => ({ status, headers });

test.each<[string, Target, () => Answer, number]>([
  ["Telegram's parameters.retry_after", "telegram", () => telegram429, 4_000],
  ["Slack's Retry-After", "slack", () => slack429, 40_000],
  ["Retry-After in seconds", "http", () => limited({ "retry-after": "7" }), 7_000],
  ["Retry-After of a 503", "http", () => limited({ "retry-after": "9" }, 503), 9_000],
  [
    "Retry-After as a date",
    "http",
    () => limited({ ...date, "retry-after": new Date((sentAt + 30) * 1000).toUTCString() }),
    30_000,
  ],
  [
    "GitHub's X-RateLimit-Reset with 403",
    "http",
    () =>
      limited(
        { ...date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(sentAt + 90) },
        403,
      ),
    90_000,
  ],
  ["Retry-After with 403", "http", () => limited({ "retry-after": "61" }, 403), 61_000],
  ["Retry-After", "http node", () => limited({ "retry-after": "5" }), 5_000],
  ["retry_after of a JSON body", "http node", () => telegram429, 4_000],
  ["a day, and waits an hour", "http", () => limited({ "retry-after": "86400" }), 3_600_000],
  ["less than its own pause", "http", () => limited({ "retry-after": "0" }), 1_000],
])("A step obeys %s: %s", async (_, target, toAnswer, waitMs) => {
  const ended = await run(target, toAnswer());
  expect(ended).toEqual({ state: "succeeded", error: null, requests: 2, pauses: [waitMs] });
});

test("A 403 that names no wait is not tried again", async () => {
  const ended = await run("http", { status: 403 });
  expect(ended).toMatchObject({ state: "failed", requests: 1 });
});
