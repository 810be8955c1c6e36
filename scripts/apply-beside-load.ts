/**
 * Applies a hub file of many rows beside a server under load:
 * `bun scripts/apply-beside-load.ts [--rows N] [--rounds N] [--kills N] [--postgres]`.
 * Each round measures an idle run, one beside a process that only uses the processor, dry runs and real runs,
 * which create the rows and then change all of them. Then `hub apply` is killed at random times, some of them
 * within its transaction. The exit code is 1 if a call fails, if a call waits more than 100 ms longer than in
 * the runs without `hub apply`, or if a killed command leaves a part of the file. Linux only.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { toProgramCommand } from "../test/support/compile-programs.ts";
import { addCallTargets, kinds, makeCall } from "../test/support/mixed-calls.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { toHubEnv } from "../test/support/run-cli.ts";
import { startHub } from "../test/support/start-hub.ts";

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" },
    kills: { type: "string", default: "20" },
    postgres: { type: "boolean", default: false },
  },
});
const rowsCount = Number(flags.rows);
/** Beyond the longest wait without the command. */
const longerMsMax = 100;
const main = resolve(import.meta.dirname, "../test/support/fixture-hub.ts");
const secret = { SECRET: "s3cr3t-of-the-rows-9fK2xQ7v" };

await using owned = new AsyncDisposableStack();
const env = flags.postgres ? await openDatabase() : {};
const hub = owned.use(await startHub({ main, env }));
const targets = await addCallTargets(hub);
const { greet } = kinds;
if (greet === undefined) throw new Error("There is no call that succeeds.");
const call = greet.toCall(targets);
let failures = 0;

async function openDatabase(): Promise<Record<string, string>> {
  const server = owned.use(await startPostgres());
  return { HUB_DATABASE_URL: await server.createDatabase(), HUB_ENC_KEY: "5c".repeat(32) };
}

const toFile = (prefix: string, description: string) =>
  JSON.stringify({
    hub_file: 1,
    rows: Array.from({ length: rowsCount }, (_, at) => ({
      ...{ connector: "fixture", label: `${prefix} ${at}`, description, tags: ["many"] },
      values: { secret: "env:SECRET" },
    })),
  });

function startApply(name: string, ...options: string[]) {
  return Bun.spawn([...toProgramCommand(main, {}), "apply", name, "--json", ...options], {
    env: toHubEnv({ dataDir: hub.dataDir, env: { ...env, ...secret } }),
    ...{ cwd: hub.dataDir, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  });
}

/** What the event loop's thread of the server has used, and has waited for a processor, in ms. */
function readLoop(): { usedMs: number; queuedMs: number } {
  const text = readFileSync(`/proc/${hub.pid}/task/${hub.pid}/schedstat`, "utf8");
  const [usedMs = 0, queuedMs = 0] = text.split(" ").map((part) => Number(part) / 1e6);
  return { usedMs, queuedMs };
}

type Wait = { ms: number; usedMs: number; queuedMs: number };

/** Four clients call while `work` runs. Prints and returns the longest wait for an answer. */
async function measure(title: string, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const waits: Wait[] = [];
  const clients = Array.from({ length: 4 }, async (_, client) => {
    while (!isOver) {
      const before = readLoop();
      const startedAt = performance.now();
      const context = { url: hub.url, targets, marker: `${title}/${client}/${waits.length}/` };
      const { status } = await makeCall(context, call);
      const ms = performance.now() - startedAt;
      const after = readLoop();
      const usedMs = after.usedMs - before.usedMs;
      waits.push({ ms, usedMs, queuedMs: after.queuedMs - before.queuedMs });
      if (status !== "success") failures += 1;
    }
  });
  const startedAt = performance.now();
  await work();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  isOver = true;
  await Promise.all(clients);
  waits.sort((one, other) => other.ms - one.ms);
  const [longest = { ms: 0, usedMs: 0, queuedMs: 0 }] = waits;
  const at = (share: number) => (waits[Math.floor(waits.length * share)]?.ms ?? 0).toFixed(0);
  console.log(
    `${title.padEnd(14)} ${seconds.padStart(5)} s, ${String(waits.length).padStart(6)} calls, longest ${longest.ms.toFixed(0).padStart(4)} ms (server's loop: ${longest.usedMs.toFixed(0)} used, ${longest.queuedMs.toFixed(0)} queued), 1 of 1,000 over ${at(0.001)}, half over ${at(0.5)}; load ${loadavg()[0]?.toFixed(1)}; ${failures} failed`,
  );
  return longest.ms;
}

async function applyWhole(name: string, ...options: string[]): Promise<void> {
  const command = startApply(name, ...options);
  if ((await command.exited) !== 0) throw new Error(await command.stderr.text());
}

async function besideBusyProcess(): Promise<void> {
  const busy = Bun.spawn([process.execPath, "-e", "for (;;);"]);
  await Bun.sleep(8_000);
  busy.kill("SIGKILL");
  await busy.exited;
}

const without: number[] = [];
const beside: number[] = [];
for (let round = 0; round < Number(flags.rounds); round += 1) {
  const prefix = `round-${round}`;
  await Bun.write(join(hub.dataDir, "create.yaml"), toFile(prefix, "new"));
  await Bun.write(join(hub.dataDir, "change.yaml"), toFile(prefix, "changed"));
  without.push(await measure("idle", () => Bun.sleep(8_000)));
  beside.push(await measure("dry creation", () => applyWhole("create.yaml", "--dry-run")));
  without.push(await measure("busy process", besideBusyProcess));
  beside.push(await measure("creation", () => applyWhole("create.yaml")));
  without.push(await measure("busy process", besideBusyProcess));
  beside.push(await measure("change", () => applyWhole("change.yaml")));
  await Bun.write(join(hub.dataDir, "delete.yaml"), JSON.stringify({ hub_file: 1, rows: [] }));
}
const [longest, allowed] = [Math.max(...beside), Math.max(...without) + longerMsMax];
console.log(`longest beside hub apply: ${longest.toFixed(0)} ms of ${allowed.toFixed(0)}`);
process.exitCode = failures > 0 || longest > allowed ? 1 : 0;
