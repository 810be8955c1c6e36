import { readdirSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuditRow, ageInstances, readAudit, readRunsOf } from "./audit.ts";
import { toProgramCommand } from "./compile-programs.ts";
import { createDataFolder } from "./data-folder.ts";
import { endWithRunner } from "./end-with-runner.ts";
import {
  addCallTargets,
  type CallOutcome,
  type CallTargets,
  kinds,
  makeCall,
  makeEndlessCall,
  readRecorded,
} from "./mixed-calls.ts";
import { queryDatabase } from "./query-database.ts";
import { createRandom, type Random } from "./random.ts";
import { toToolCall } from "./rpc.ts";
import { toHubEnv } from "./run-cli.ts";
import { type RunningHub, startHub } from "./start-hub.ts";
import { initialize, openStdioSession } from "./stdio-session.ts";
import { usesPostgres } from "./test-database.ts";
import { waitFor } from "./wait-for.ts";

/** The outcomes of the calls of all rounds. */
export type KillReport = {
  kills: number;
  killsAtStart: number;
  /** Calls that were sent. */
  sent: number;
  /** Calls whose reply reached the client. Each has one run with the same outcome. */
  replied: number;
  rows: number;
  /** Runs that were `running` at the kill. Each is `cancelled` after the next start. */
  interrupted: number;
  /** Runs with an outcome whose reply was lost. */
  replyLost: number;
  /** Calls that were lost before their run was written. */
  notWritten: number;
  /** Rounds in which a call of another process kept running. */
  keptRunning: number;
};

const main = join(import.meta.dirname, "fixture-hub.ts");
const workers = 16;
/** The number of workers whose calls never end, so that every kill interrupts calls. */
const endlessWorkers = 2;

/**
 * Repeatedly kills `hub serve` with SIGKILL at random times under load, on one data folder. Compares the
 * outcomes that clients got with the audit after the next start. Throws at the first difference.
 */
export async function killUnderLoad(
  { seed, count }: { seed: number; count: number },
  onRound: (round: number, report: KillReport) => void = () => {},
): Promise<KillReport> {
  const random = createRandom(seed);
  await using folder = await createDataFolder();
  const dataDir = folder.path;
  const report = {
    kills: 0,
    killsAtStart: 0,
    sent: 0,
    replied: 0,
    rows: 0,
    interrupted: 0,
    replyLost: 0,
    notWritten: 0,
    keptRunning: 0,
  };
  let round = 0;
  let hub = await startHub({ main, dataDir });
  try {
    const targets = await addCallTargets(hub);
    for (; round < count; round += 1) {
      const marker = `${seed}/${round}/`;
      const sessions = listSessions(dataDir);
      const kind = ([null, "stdio", "cli"] as const)[round % 3];
      await using unaffected = kind ? await startUnaffectedCall(kind, dataDir, targets) : null;
      const calls = await runUntilKill(random, hub, targets, marker);
      await waitFor(() => listSessions(dataDir).every((pid) => !sessions.includes(pid)));
      // The first process that opens the database recovers it. In half of the rounds, that is the next server.
      const runsAtKill = random.below(2) === 0 ? readRunsOf(dataDir, marker) : null;
      report.kills += 1;
      if (random.below(4) === 0) {
        await killAtStart(random, dataDir);
        report.kills += 1;
        report.killsAtStart += 1;
      }
      // A lock file shows at once that its process is dead. On PostgreSQL, the heartbeat has to expire.
      if (usesPostgres) ageInstances(dataDir);
      hub = await startHub({ main, dataDir });
      await waitFor(() => readRunsOf(dataDir, marker).every(({ status }) => status !== "running"));
      addRound(report, calls, runsAtKill, readRecorded(dataDir, marker));
      if (unaffected !== null) {
        await unaffected.check();
        report.keptRunning += 1;
      }
      onRound(round, report);
    }
    await hub.stop();
    // A server that was killed before its registration leaves a lock. A start removes old locks.
    if (usesPostgres) ageInstances(dataDir);
    else for (const id of listInstances(dataDir)) utimesSync(join(dataDir, "instances", id), 0, 0);
    hub = await startHub({ main, dataDir });
    await waitFor(() => listInstances(dataDir).length === 1);
    await hub.stop();
    checkIntegrity(dataDir);
    return report;
  } catch (cause) {
    throw new Error(`seed ${seed}, round ${round}: ${cause}`, { cause });
  } finally {
    await hub[Symbol.asyncDispose]();
  }
}

type Calls = { sent: string[]; outcomes: Map<string, CallOutcome> };

/** Calls the server until a random number of replies has arrived, and kills it during other calls. */
async function runUntilKill(
  random: Random,
  hub: RunningHub,
  targets: CallTargets,
  marker: string,
): Promise<Calls> {
  const calls: Calls = { sent: [], outcomes: new Map() };
  const names = Object.keys(kinds);
  const repliesMax = random.below(400);
  const turnsMore = random.below(20);
  const reached = Promise.withResolvers<void>();
  let isKilled = false;

  async function work(worker: number): Promise<void> {
    while (!isKilled) {
      const context = { url: hub.url, targets, marker: `${marker}${calls.sent.length}/` };
      const kind = kinds[random.pick(names)];
      calls.sent.push(context.marker);
      const isEndless = worker < endlessWorkers;
      const call =
        isEndless || !kind ? makeEndlessCall(context) : makeCall(context, kind.toCall(targets));
      const outcome = await call.catch(() => null);
      if (outcome === null) break;
      calls.outcomes.set(context.marker, outcome);
      if (calls.outcomes.size > repliesMax) reached.resolve();
    }
    // If the server fails on its own, the test must not wait for more replies.
    reached.resolve();
  }

  const working = Array.from({ length: workers }, (_, worker) => work(worker));
  await reached.promise;
  for (let turn = 0; turn < turnsMore; turn += 1) await new Promise((done) => setImmediate(done));
  isKilled = true;
  await hub.kill();
  await Promise.all(working);
  return calls;
}

/** Kills a starting server, either immediately or after its registration. */
async function killAtStart(random: Random, dataDir: string): Promise<void> {
  const before = new Set(listInstances(dataDir));
  const child = Bun.spawn([...toProgramCommand(main), "serve"], {
    env: toHubEnv({ main, dataDir }),
    cwd: tmpdir(),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  endWithRunner(child);
  if (random.below(3) > 0) {
    const isRegistered = () => listInstances(dataDir).some((id) => !before.has(id));
    await waitFor(() => child.exitCode !== null || isRegistered());
  }
  child.kill("SIGKILL");
  await child.exited;
}

type UnaffectedCall = AsyncDisposable & { check(): Promise<void> };

/** Starts another process on the same folder with a running call, which must not be changed. */
async function startUnaffectedCall(
  kind: "stdio" | "cli",
  dataDir: string,
  targets: CallTargets,
): Promise<UnaffectedCall> {
  const known = new Set(readAudit(dataDir).map(({ id }) => id));
  const findRow = () =>
    readAudit(dataDir).find(
      ({ id, operation_key, user_agent }) =>
        !known.has(id) && operation_key === "wait" && user_agent === null,
    );
  const process =
    kind === "stdio" ? await callByStdio(dataDir, targets) : callByCli(dataDir, targets);
  await waitFor(() => findRow()?.status === "running");
  return {
    async check() {
      expectSame(`the row of the live ${kind} process`, findRow()?.status, "running");
      await process.cancel();
      const row = await waitFor(() => findRow()?.status !== "running" && findRow());
      const isItsOwn = row.status === "cancelled" && row.error_msg !== interruptedText;
      expectSame(`whether the live ${kind} process ended its row itself`, isItsOwn, true);
      await process.end();
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

async function callByStdio(dataDir: string, { rows }: CallTargets) {
  const session = openStdioSession({ main, dataDir });
  session.send(initialize);
  await session.answerTo("initialize");
  const call = { tool_id: `conn:${rows.visible}/wait`, params: {} };
  session.send(toToolCall("hub_execute", call, "wait"));
  return {
    cancel() {
      const params = { requestId: "wait" };
      session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    },
    end: async () => expectSame("the exit of the stdio process", await session.close(), 0),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

function callByCli(dataDir: string, { rows }: CallTargets) {
  const child = Bun.spawn([...toProgramCommand(main), "row", "test", rows.visible, "wait"], {
    env: toHubEnv({ main, dataDir }),
    cwd: tmpdir(),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  endWithRunner(child);
  return {
    cancel: () => child.kill("SIGINT"),
    end: async () => expectSame("the exit of the command", await child.exited, 1),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const interruptedText =
  "The hub stopped before this call ended. Whether the operation took effect is not known.";

/** Compares each call's outcome with its run. */
function addRound(
  report: KillReport,
  { sent, outcomes }: Calls,
  runsAtKill: readonly AuditRow[] | null,
  recorded: ReadonlyMap<string, CallOutcome[]>,
): void {
  // Another process may already have cancelled these runs.
  const running = runsAtKill?.filter(
    ({ status, error_msg }) => status === "running" || error_msg === interruptedText,
  );
  const wasRunning = running && new Set(running.map(({ user_agent }) => user_agent));
  for (const marker of sent) {
    const rows = recorded.get(marker) ?? [];
    const reply = outcomes.get(marker);
    report.sent += 1;
    report.rows += rows.length;
    if (reply !== undefined) {
      report.replied += 1;
      expectSame(`the run of ${marker}, which was answered`, rows, [reply]);
    } else if (rows.length > 0) {
      const isInterrupted = wasRunning?.has(marker) ?? rows[0]?.text === interruptedText;
      const interrupted = { status: "cancelled", code: "cancelled", text: interruptedText };
      expectSame(`the number of runs of ${marker}`, rows.length, 1);
      expectSame(`"interrupted" in ${marker}`, Bun.deepEquals(rows[0], interrupted), isInterrupted);
      if (isInterrupted) report.interrupted += 1;
      else report.replyLost += 1;
    } else {
      report.notWritten += 1;
    }
  }
  expectSame("runs without a call", [...recorded.keys()].length <= sent.length, true);
}

/** Checks that the database is intact, no run is running, and dead processes left nothing. */
function checkIntegrity(dataDir: string): void {
  const select = (sql: string) => queryDatabase(dataDir, `select ${sql}`);
  expectSame("runs left running", select("id from connector_runs where status = 'running'"), []);
  expectSame("instances left behind", select("id from instances"), []);
  if (usesPostgres) return;
  const checked = queryDatabase(dataDir, "pragma integrity_check");
  expectSame("the database", checked, [{ integrity_check: "ok" }]);
  expectSame("locks left behind", listInstances(dataDir), []);
}

/**
 * The sessions of PostgreSQL for this database. After its client was killed, a session still commits
 * the statement that it has received.
 */
function listSessions(dataDir: string): number[] {
  if (!usesPostgres) return [];
  const sessions = queryDatabase<{ pid: number }>(
    dataDir,
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return sessions.map(({ pid }) => pid);
}

/** The ids of the processes that are registered: on SQLite, of their lock files. */
function listInstances(dataDir: string): string[] {
  if (usesPostgres)
    return queryDatabase<{ id: string }>(dataDir, "select id from instances").map(({ id }) => id);
  return readdirSync(join(dataDir, "instances"));
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}: found ${Bun.inspect(found)}, expected ${Bun.inspect(expected)}`);
}
