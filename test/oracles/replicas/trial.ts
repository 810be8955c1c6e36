import { SQL } from "bun";
import { addCallTargets, type CallOutcome } from "../../support/mixed-calls.ts";
import { startEmbedded } from "../../support/postgres-server.ts";
import { createRandom } from "../../support/random.ts";
import { withoutCallLimits } from "../../support/run-cli.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type ChangeReport, makeChanges } from "./changes.ts";
import { type Disturbance, disturbances } from "./disturb.ts";
import { startOutside } from "./outside.ts";
import { startReplicas } from "./replicas.ts";
import { callByClient, callByHttp, type TrialCall } from "./trial-calls.ts";

type TrialOptions = {
  seed: number;
  /** What happens, in this order, each under load. */
  disturbances: readonly Disturbance[];
  pauseMs: number;
  /** How many clients call over HTTP at once. */
  httpWorkers: number;
  /** Answered calls between two disturbances. */
  callsBetween: number;
  onDisturbed?: (disturbance: Disturbance, report: CallReport) => void;
};

type CallReport = {
  sent: number;
  /** Calls with an outcome. Each has one run with the same outcome. */
  answered: number;
  /** Refusals by HTTP status and code. */
  refused: Record<string, number>;
  /** Calls without an answer, by reason. */
  lost: Record<string, number>;
  /** Runs of calls without an answer. */
  runsWithoutAnswer: number;
  /** Requests that the outside system received. Each has a run. */
  outside: number;
  /** The longest time in which no call was answered, in milliseconds. */
  longestGapMs: number;
};

export type TrialReport = CallReport & { changes: ChangeReport };

const encKey = "5a".repeat(32);

/**
 * Puts three servers behind nginx under load while servers and their database fail, and compares
 * what clients got with the audit. Throws at the first difference.
 */
export async function tryReplicas(options: TrialOptions): Promise<TrialReport> {
  const { httpWorkers, callsBetween } = options;
  const random = createRandom(options.seed);
  await using database = await startEmbedded();
  await using outside = startOutside();
  const databaseUrl = await database.createDatabase();
  const env = { HUB_DATABASE_URL: databaseUrl, HUB_ENC_KEY: encKey, ...withoutCallLimits };
  await using replicas = await startReplicas(3, env);
  const [first] = replicas.all;
  if (!first?.hub) throw new Error("No server runs.");
  const { hub } = first;
  const targets = await addCallTargets(hub);
  const addRow = async (...args: string[]) =>
    (await hub.cli("row", "add", ...args, "--json")).json<{ id: string }>().id;
  const baseUrl = `base_url=${outside.url}`;
  const outsideRow = await addRow("http", "--label", "Outside", "--tag", "lab", "--set", baseUrl);
  const changedRow = await hub.tryCli(
    [
      "row",
      "add",
      "fixture",
      "--label",
      "Changed",
      "--tag",
      "changed",
      "--json",
      "--secret-env",
      "secret=S",
    ],
    { env: { S: "a secret of the row" } },
  );
  const user = await hub.addUser("cat@example.com", { tags: ["changed"] });
  const manageToken = await hub.makeManageToken();
  const shown = await hub.cli("user", "show", user.email, "--json");

  const calls: TrialCall[] = [];
  let answered = 0;
  let lastAnswerAt = performance.now();
  let longestGapMs = 0;
  let isStopped = false;
  const load = {
    url: replicas.url,
    targets,
    outsideRow,
    random,
    prefix: `${options.seed}/`,
    isStopped: () => isStopped,
    onCall(call: TrialCall) {
      calls.push(call);
      if (call.result.kind !== "answered") return;
      answered += 1;
      longestGapMs = Math.max(longestGapMs, performance.now() - lastAnswerAt);
      lastAnswerAt = performance.now();
    },
  };
  const workers = [
    ...Array.from({ length: httpWorkers }, (_, index) => callByHttp(load, `http${index}`)),
    callByClient(load, "sdk1"),
    callByClient(load, "sdk2"),
    callByClient(load, "legacy"),
  ];
  const changing = makeChanges({
    replicas,
    manageToken,
    rowId: changedRow.json<{ id: string }>().id,
    user: { id: shown.json<{ id: string }>().id, token: user.token },
    isStopped: () => isStopped,
  });
  const working = Promise.all([changing, ...workers]);
  // A failure of a worker ends the trial at once.
  const failed = working.then(() => new Promise<never>(() => {}));
  const waitForAnswers = async (count: number) => {
    const goal = answered + count;
    await Promise.race([failed, waitFor(() => answered >= goal)]);
  };
  const summarize = () => summarizeCalls(calls, outside.received.size, longestGapMs);
  await waitForAnswers(callsBetween);
  for (const name of options.disturbances) {
    await disturbances[name]({ replicas, database, databaseUrl, random, pauseMs: options.pauseMs });
    await waitForAnswers(callsBetween);
    options.onDisturbed?.(name, summarize());
  }
  isStopped = true;
  const [changes] = await working;
  await using sql = new SQL({ url: databaseUrl, max: 1 });
  await waitFor(async () => (await countRunning(sql)) === 0);
  const listInstances = async () => [...(await sql.unsafe("select id from instances"))];
  // Those of killed servers are removed when their heartbeat is old.
  await waitFor(async () => (await listInstances()).length === replicas.all.length);
  for (const replica of replicas.all) await replica.stop();
  const runs = await readRuns(sql);
  const report = { ...summarize(), changes };
  report.runsWithoutAnswer = checkRuns(calls, runs);
  checkOutside(outside.received, runs);
  expectSame("changes that were obeyed late", changes.late, []);
  expectSame("instances left behind", await listInstances(), []);
  return report;
}

type Run = {
  status: string;
  error_code: string | null;
  error_msg: string | null;
  request: string | null;
  response: string | null;
  user_agent: string | null;
};

async function countRunning(sql: SQL): Promise<number> {
  const rows = await sql.unsafe("select 1 from connector_runs where status = 'running'");
  return rows.length;
}

async function readRuns(sql: SQL): Promise<Run[]> {
  return await sql.unsafe(
    "select status, error_code, error_msg, request, response, user_agent from connector_runs",
  );
}

function summarizeCalls(
  calls: readonly TrialCall[],
  outside: number,
  longestGapMs: number,
): CallReport {
  const report: CallReport = {
    sent: calls.length,
    answered: 0,
    refused: {},
    lost: {},
    runsWithoutAnswer: 0,
    outside,
    longestGapMs: Math.round(longestGapMs),
  };
  for (const { result } of calls) {
    if (result.kind === "answered") report.answered += 1;
    else if (result.kind === "refused") count(report.refused, `${result.status} ${result.code}`);
    else count(report.lost, result.reason);
  }
  return report;
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** Compares each call with its run. Returns the number of runs whose client got no answer. */
function checkRuns(calls: readonly TrialCall[], runs: readonly Run[]): number {
  const byMarker = Map.groupBy(runs, findMarker);
  let withoutAnswer = 0;
  for (const { marker, markedBy, result } of calls) {
    const found = byMarker.get(marker) ?? [];
    if (result.kind !== "answered" || isUnsaved(result.outcome)) {
      expectSame(`whether ${marker} has at most one run`, found.length <= 1, true);
      withoutAnswer += found.length;
      continue;
    }
    const { outcome } = result;
    // The official clients report denied calls as errors.
    const toComparable = ({ status, code, text }: CallOutcome) =>
      markedBy === "request"
        ? { isError: status !== "success", code, text }
        : { status, code, text };
    expectSame(`the run of ${marker}`, found.map(toOutcome).map(toComparable), [
      toComparable(outcome),
    ]);
  }
  return withoutAnswer;
}

/** The operation ended while the database was away, so its outcome was saved later or is lost. */
function isUnsaved({ code }: CallOutcome): boolean {
  return code === "unavailable";
}

const markerIn = /\d+\/(?:sdk1|sdk2|legacy)\/\d+\//;

function findMarker({ user_agent, request }: Run): string {
  return markerIn.exec(request ?? "")?.[0] ?? user_agent ?? "";
}

function toOutcome(run: Run): CallOutcome {
  const text = run.status === "success" ? run.response : run.error_msg;
  return { status: run.status, code: run.error_code, text: text ?? "" };
}

/** No operation may run without a record, and no request may be sent twice. */
function checkOutside(received: ReadonlyMap<string, number>, runs: readonly Run[]): void {
  const recorded = new Set(runs.map(findMarker));
  const unrecorded = [...received.keys()].filter((marker) => !recorded.has(marker));
  expectSame("operations without a run", unrecorded, []);
  const repeated = [...received].filter(([, times]) => times > 1);
  expectSame("operations that ran twice", repeated, []);
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}: found ${Bun.inspect(found)}, expected ${Bun.inspect(expected)}`);
}
