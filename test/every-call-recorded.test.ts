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
  makeCancelledCall,
  readRecorded,
} from "./support/mixed-calls.ts";
import { createRandom } from "./support/random.ts";
import { toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { initialize, openStdioSession } from "./support/stdio-session.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let targets: CallTargets;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
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

  await using session = openStdioSession({ main, dataDir: hub.dataDir });
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
