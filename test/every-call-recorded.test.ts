/**
 * Protects: every call is recorded exactly once, with the outcome that the client got (trap 12), for
 * every kind of outcome and for many concurrent calls.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { readAudit } from "./support/audit.ts";
import { readAnswer } from "./support/mcp-client.ts";
import {
  addCallTargets,
  type CallOutcome,
  type CallTargets,
  kinds,
  makeCall,
  makeCallsAtOnce,
  makeCancelledCall,
  readMessage,
  readOutcome,
  readRecorded,
} from "./support/mixed-calls.ts";
import { createRandom } from "./support/random.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { initialize, openStdioSession } from "./support/stdio-session.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const env = { FIXTURE_READS: "1" };
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let targets: CallTargets;

beforeAll(async () => {
  hub = owned.use(await startHub({ main, env }));
  targets = await addCallTargets(hub);
});
afterAll(() => owned.disposeAsync());

const cancelled = "cancelled";

test("Each kind of call has its expected outcome, and is recorded with it", async () => {
  for (const [name, { code, toCall }] of Object.entries(kinds)) {
    const marker = `kind/${name}/`;
    const outcome = await makeCall({ url: hub.url, targets, marker }, toCall(targets));
    expect([name, outcome.code]).toEqual([name, code]);
    expect([name, readRecorded(hub.dataDir, marker).get(marker)]).toEqual([name, [outcome]]);
  }
  const callContext = { url: hub.url, targets, marker: "kind/cancelled/" };
  const outcome = await makeCancelledCall(callContext);
  expect(outcome).toMatchObject({ status: "cancelled", code: "cancelled" });
  expect(readRecorded(hub.dataDir, callContext.marker).get(callContext.marker)).toEqual([outcome]);
});

test("Each kind of call has the same outcome and record within one message as alone", async () => {
  const calls = Object.entries(kinds).flatMap(([name, { toCall }]) => {
    const call = toCall(targets);
    return call.tool === "hub_execute" ? [{ name, call }] : [];
  });
  expect(calls.length).toBeGreaterThan(12);
  const alone = [];
  for (const { name, call } of calls) {
    const callContext = { url: hub.url, targets, marker: `alone/${name}/` };
    alone.push(await makeCall(callContext, { ...call, tool: "hub_read" }));
  }
  const marker = "at-once/";
  const sent = calls.map(({ call }) => call);
  const atOnce = await makeCallsAtOnce({ url: hub.url, targets, marker }, sent);
  const comparable = (outcome: CallOutcome) => ({
    ...outcome,
    text: outcome.text.replaceAll(/hub_enc_[\w-]+/g, "TOKEN"),
  });
  const names = calls.map(({ name }) => name);
  const list = (outcomes: CallOutcome[]) =>
    names.map((name, index) => [name, comparable(outcomes[index] as CallOutcome)]);
  expect(list(atOnce)).toEqual(list(alone));
  // One record for the message, and one for each of its calls.
  const recorded = readRecorded(hub.dataDir, marker).get(marker) ?? [];
  const inner = recorded.filter(({ text }) => !text.startsWith('{"calls":'));
  expect([recorded.length, inner.length]).toEqual([calls.length + 1, calls.length]);
  const sorted = (outcomes: readonly CallOutcome[]) =>
    outcomes.map((outcome) => JSON.stringify(outcome)).sort();
  expect(sorted(inner)).toEqual(sorted(atOnce));
});

test("A cancelled message ends all of its calls, over HTTP in both protocol modes and over stdio", async () => {
  const wait = { tool_id: `conn:${targets.rows.visible}/wait`, params: {} };
  const message = (id: string) => toToolCall("hub_read", { calls: Array(7).fill(wait) }, id);
  const cancel = (requestId: string) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });
  const before = readAudit(hub.dataDir).length;
  const readNew = () => readAudit(hub.dataDir).slice(before);
  const untilRunning = (count: number) =>
    waitFor(() => readNew().filter(({ operation_key: key }) => key === "wait").length === count);
  const untilEnded = () => waitFor(() => readNew().every(({ status }) => status !== "running"));

  const answer = postRpc(hub.url, targets.token, message("session"));
  await untilRunning(5);
  await postRpc(hub.url, targets.token, cancel("session"));
  expect(readOutcome(await readMessage(await answer))).toMatchObject({ code: "cancelled" });
  await untilEnded();

  const client = new AbortController();
  const stateless = fetch(`${hub.url}/mcp`, {
    ...toStatelessPost(targets.token, message("stateless")),
    signal: client.signal,
  });
  await untilRunning(10);
  client.abort();
  expect(await stateless.catch(({ name }) => name)).toBe("AbortError");
  await untilEnded();

  await using session = openStdioSession({ main, dataDir: hub.dataDir, env });
  session.send(initialize);
  await session.answerTo("initialize");
  session.send(message("stdio"));
  await untilRunning(15);
  session.send(cancel("stdio"));
  await untilEnded();

  const made = readNew();
  const statuses = new Set(made.map(({ status }) => status));
  expect([made.length, [...statuses]]).toEqual([18, ["cancelled"]]);
});

/** A request of the stateless protocol mode. */
function toStatelessPost(token: string, { params, ...rest }: ReturnType<typeof toToolCall>) {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": version,
      "mcp-method": rest.method,
      "mcp-name": params.name,
    },
    body: JSON.stringify({ ...rest, params: { ...params, _meta: meta } }),
  };
}

test("Of many concurrent calls over HTTP and stdio, each is recorded exactly once", async () => {
  const seed = 20_261_120;
  const count = 600;
  const random = createRandom(seed);
  const names = [...Object.keys(kinds), cancelled];
  const planned = Array.from({ length: count }, (_, index) => ({
    marker: `many/${index}/`,
    kind: random.pick(names),
  }));
  const before = readAudit(hub.dataDir).length;

  await using session = openStdioSession({ main, dataDir: hub.dataDir, env });
  session.send(initialize);
  await session.answerTo("initialize");
  const stdioIds = Array.from({ length: 100 }, (_, index) => `stdio-${index}`);
  for (const id of stdioIds) session.send(toToolCall("hub_get", { tool_id: id }, id));

  const outcomes: Map<string, CallOutcome> = new Map();
  const waiting = [...planned];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const callContext = { url: hub.url, targets, marker: next.marker };
      const kind = kinds[next.kind];
      const call = kind
        ? makeCall(callContext, kind.toCall(targets))
        : makeCancelledCall(callContext);
      outcomes.set(next.marker, await call);
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  for (const id of stdioIds) {
    expect(readAnswer((await session.answerTo(id)).result).value.code).toBe("not_found");
  }

  const recorded = readRecorded(hub.dataDir, "many/");
  for (const { marker, kind } of planned) {
    const row = { seed, kind, rows: recorded.get(marker) };
    expect(row).toEqual({
      seed,
      kind,
      rows: outcomes.has(marker) ? [outcomes.get(marker) as CallOutcome] : [],
    });
  }
  const all = readAudit(hub.dataDir).slice(before);
  expect(all).toHaveLength(count + stdioIds.length);
  expect(all.filter(({ status }) => status === "running")).toEqual([]);
  for (const id of stdioIds) {
    const rows = all.filter(({ request }) => request === JSON.stringify({ tool_id: id }));
    expect(rows.map(({ status }) => status)).toEqual(["denied"]);
  }
});
