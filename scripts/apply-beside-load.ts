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
import { SQL } from "bun";
import { toProgramCommand } from "../test/support/compile-programs.ts";
import { addCallTargets, kinds, makeCall } from "../test/support/mixed-calls.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryDatabase } from "../test/support/query-database.ts";
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
      connector: "fixture",
      label: `${prefix} ${at}`,
      description,
      tags: ["many"],
      values: { secret: "env:SECRET" },
    })),
  });

function startApply(name: string, ...options: string[]) {
  return Bun.spawn([...toProgramCommand(main, {}), "apply", name, "--json", ...options], {
    env: toHubEnv({ dataDir: hub.dataDir, env: { ...env, ...secret } }),
    cwd: hub.dataDir,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    // So that what it has started can be killed with it.
    detached: true,
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
}
const [longest, allowed] = [Math.max(0, ...beside), Math.max(0, ...without) + longerMsMax];
console.log(`longest beside hub apply: ${longest.toFixed(0)} ms of ${allowed.toFixed(0)}`);

/** Reads one number from the database. */
async function count(from: string): Promise<number> {
  const query = `select count(*) as n from ${from}`;
  const url = env.HUB_DATABASE_URL;
  if (url === undefined) return queryDatabase<{ n: number }>(hub.dataDir, query)[0]?.n ?? -1;
  await using database = new SQL({ url, max: 1 });
  const [row]: { n: string }[] = await database.unsafe(query);
  return Number(row?.n ?? -1);
}

/** The process that stores the plan, once it has got the plan. Null if the command ends without one. */
async function waitUntilStored(command: Bun.Subprocess): Promise<void> {
  while (command.exitCode === null && command.signalCode === null) {
    for (const child of readText(`/proc/${command.pid}/task/${command.pid}/children`).split(" ")) {
      const received = /^rchar: (\d+)/m.exec(readText(`/proc/${child}/io`))?.[1] ?? 0;
      // More than it reads at its start.
      if (child !== "" && Number(received) > planBytesMin + readAtStart(child)) return;
    }
    await Bun.sleep(1);
  }
}

const atStart = new Map<string, number>();
const planBytesMin = 200 * rowsCount;

/** What a process had read when it was seen first and slept. */
function readAtStart(pid: string): number {
  const received = Number(/^rchar: (\d+)/m.exec(readText(`/proc/${pid}/io`))?.[1] ?? 0);
  const before = atStart.get(pid);
  const isAsleep = /^State:\s+S/m.test(readText(`/proc/${pid}/status`));
  if (before === undefined && isAsleep) atStart.set(pid, received);
  return before ?? Number.POSITIVE_INFINITY;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const kills = Number(flags.kills);
const outcomes = { all: 0, nothing: 0, part: 0 };
if (kills > 0) {
  await Bun.write(join(hub.dataDir, "kill.yaml"), toFile("killed", "new"));
  const startedAt = performance.now();
  await applyWhole("kill.yaml");
  const applyMs = performance.now() - startedAt;
  for (let kill = 0; kill < kills; kill += 1) {
    const isCreation = kill % 2 === 0;
    const label = isCreation ? `created-${kill}` : "killed";
    const description = `by ${kill}`;
    await Bun.write(join(hub.dataDir, "kill.yaml"), toFile(label, description));
    const since = Date.now();
    const command = startApply("kill.yaml");
    if (flags.postgres || kill % 4 < 2) {
      await Promise.race([command.exited, Bun.sleep(applyMs * (0.3 + 0.9 * Math.random()))]);
    } else {
      await waitUntilStored(command);
      await Bun.sleep(300 * Math.random());
    }
    try {
      process.kill(-command.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    await command.exited;
    const rows = `(select id from connector_rows where description = '${description}')`;
    const counts = [
      await count(`connector_rows where id in ${rows}`),
      await count(`changes where changed_at >= ${since} and target_id in ${rows}`),
      ...(isCreation
        ? [
            await count(`row_tags where row_id in ${rows}`),
            await count(`row_values where row_id in ${rows}`),
            await count(`changes where changed_at >= ${since} and target like '${label} %'`),
          ]
        : []),
    ];
    const isNothing = counts.every((one) => one === 0);
    const isAll = counts.every((one) => one === rowsCount);
    const outcome = isNothing ? "nothing" : isAll ? "all" : "part";
    outcomes[outcome] += 1;
    if (outcome === "part") console.log(`kill ${kill} left a part: ${counts}`);
  }
  console.log(`kills left: ${JSON.stringify(outcomes)}`);
}
process.exitCode = failures > 0 || outcomes.part > 0 || longest > allowed ? 1 : 0;
