/**
 * Protects: calls made equal rows written, with the outcome that the client was told (trap 12),
 * whatever becomes of them and however many there are at once.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { readAudit } from "./support/audit.ts";
import { readAnswer } from "./support/mcp-client.ts";
import {
  kinds,
  makeCall,
  makeCancelledCall,
  readRecorded,
  type Stage,
  setStage,
  type Told,
} from "./support/mixed-calls.ts";
import { createRandom } from "./support/random.ts";
import { toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { initialize, openStdioSession } from "./support/stdio-session.ts";

setDefaultTimeout(60_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let stage: Stage;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  stage = await setStage(hub);
});
afterAll(() => owned.disposeAsync());

const cancelled = "cancelled";

test("each kind of call ends as it is meant to, and is on record so", async () => {
  for (const [name, { code, toCall }] of Object.entries(kinds)) {
    const marker = `kind/${name}/`;
    const told = await makeCall({ url: hub.url, stage, marker }, toCall(stage));
    expect([name, told.code]).toEqual([name, code]);
    expect([name, readRecorded(hub.dataDir, marker).get(marker)]).toEqual([name, [told]]);
  }
  const place = { url: hub.url, stage, marker: "kind/cancelled/" };
  const told = await makeCancelledCall(place);
  expect(told).toMatchObject({ status: "cancelled", code: "cancelled" });
  expect(readRecorded(hub.dataDir, place.marker).get(place.marker)).toEqual([told]);
});

test("of many at once, over HTTP and stdio beside each other, none is lost and none is doubled", async () => {
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

  const told: Map<string, Told> = new Map();
  const waiting = [...planned];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const place = { url: hub.url, stage, marker: next.marker };
      const kind = kinds[next.kind];
      const call = kind ? makeCall(place, kind.toCall(stage)) : makeCancelledCall(place);
      told.set(next.marker, await call);
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  for (const id of stdioIds) {
    expect(readAnswer((await session.answerTo(id)).result).value.code).toBe("not_found");
  }

  const recorded = readRecorded(hub.dataDir, "many/");
  for (const { marker, kind } of planned) {
    const row = { seed, kind, rows: recorded.get(marker) };
    expect(row).toEqual({ seed, kind, rows: told.has(marker) ? [told.get(marker) as Told] : [] });
  }
  const all = readAudit(hub.dataDir).slice(before);
  expect(all).toHaveLength(count + stdioIds.length);
  expect(all.filter(({ status }) => status === "running")).toEqual([]);
  for (const id of stdioIds) {
    const rows = all.filter(({ request }) => request === JSON.stringify({ tool_id: id }));
    expect(rows.map(({ status }) => status)).toEqual(["denied"]);
  }
});
