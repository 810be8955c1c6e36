/**
 * Sends malformed messages of both protocol modes to a hub over HTTP and stdio:
 * `bun scripts/fuzz-frames.ts [seed] [minutes]`. Every answer must be JSON-RPC or an HTTP error
 * `{error, code}`, and must not contain a secret. The hub must keep running, and the audit must have one run
 * for each readable tools/call. Prints counts. The first fault is printed with its request, and sets the
 * exit code to 1.
 */
import { join } from "node:path";
import { countByStatus, findRunsWith } from "../test/support/audit.ts";
import { toEncodings } from "../test/support/secret-encodings.ts";
import { startHub } from "../test/support/start-hub.ts";
import { createHttpTarget } from "./fuzz-frames/http-target.ts";
import { mutateBytes, mutateMessage } from "./fuzz-frames/mutate.ts";
import { createRandom, type Random } from "./fuzz-frames/random.ts";
import { createStdioTarget } from "./fuzz-frames/stdio-target.ts";
import type { Frame, Target } from "./fuzz-frames/target.ts";
import { makeHeaders, makeMessage, type ProtocolMode } from "./fuzz-frames/valid-frames.ts";

const framesPerBatch = 200;
const secret = "row-secret/0123456789+abcdef";
const main = join(import.meta.dirname, "../test/support/fixture-hub.ts");

const seed = readNumber(process.argv[2], Date.now() % 2 ** 31, "seed");
const minutes = readNumber(process.argv[3], 1, "minutes");

await using hub = await startHub({ main });
const added = await hub.tryCli(
  ["row", "add", "fixture", "--label", "Laboratory", "--secret-env", "secret=SECRET", "--json"],
  { env: { SECRET: secret } },
);
const { id: rowId } = added.json<{ id: string }>();
const forbidden = [...toEncodings(secret), hub.adminToken()];
await using http = createHttpTarget(hub.url, hub.adminToken());
await using stdio = createStdioTarget({ main, dataDir: hub.dataDir });
const targets: Target[] = [http, stdio];

const endsAt = performance.now() + minutes * 60_000;
const counts = new Map<string, number>();
let [batches, frames, calls] = [0, 0, 0];
try {
  for (; performance.now() < endsAt; batches += 1) {
    for (const target of targets) await tryBatch(target, createRandom(seed + batches * 2 + 1));
  }
  for (const target of targets) checkNoSecret(await target.close());
  checkNoSecret(hub.stderr());
  for (const row of findRunsWith(hub.dataDir, forbidden)) checkNoSecret(JSON.stringify(row));
  if ((await hub.stop()) !== 0) throw new Error("The hub exited with an error.");
} catch (fault) {
  console.error(`seed ${seed}, batch ${batches}:`, fault);
  process.exitCode = 1;
}
console.log(
  `seed ${seed}: ${frames} frames in ${batches} batches, ${calls} readable calls recorded`,
);
for (const [outcome, count] of [...counts].toSorted()) console.log(`  ${outcome}: ${count}`);

async function tryBatch(target: Target, random: Random): Promise<void> {
  const batch = Array.from({ length: framesPerBatch }, () => makeFrame(random));
  const before = countRuns();
  let expected = 0;
  for (const { outcome, calls: made, texts } of await target.tryAll(random, batch)) {
    expected += made;
    count(`${target.name}, ${outcome}`);
    for (const text of texts) checkNoSecret(text);
  }
  frames += batch.length;
  calls += expected;
  const recorded = countRuns() - before;
  if (recorded !== expected) {
    throw new Error(`${target.name}: ${expected} calls are readable, ${recorded} are recorded.`);
  }
}

function makeFrame(random: Random): Frame {
  const mode: ProtocolMode = random.pick(["session", "stateless"]);
  const message = makeMessage(random, mode, rowId);
  let bytes = toBytes(random.chance(0.7) ? mutateMessage(random, message) : message);
  if (random.chance(0.4)) {
    const other = toBytes(makeMessage(random, mode, rowId));
    for (let times = 1 + random.below(3); times > 0; times -= 1) {
      bytes = mutateBytes(random, bytes, other);
    }
  }
  return { bytes, headers: makeHeaders(mode, message) };
}

function toBytes(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message));
}

function countRuns(): number {
  return Object.values(countByStatus(hub.dataDir)).reduce((sum, value) => sum + value, 0);
}

function count(outcome: string): void {
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
}

function checkNoSecret(text: string): void {
  const found = forbidden.find((encoding) => text.includes(encoding));
  if (found !== undefined)
    throw new Error(`The text contains a secret as ${found}: ${text.slice(0, 500)}`);
}

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Number(text);
  console.error(`${name}: enter a number, not "${text}"`);
  process.exit(2);
}
