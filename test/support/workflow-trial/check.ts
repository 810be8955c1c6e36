import type { TrialDatabase } from "./database.ts";
import { type Flows, onceNodes } from "./flows.ts";
import type { Delivery } from "./senders.ts";
import type { TrialTarget } from "./target.ts";

type RunRow = {
  id: string;
  workflow_id: string;
  state: string;
  trigger_id: string;
  trigger_type: string;
  parent_run_id: string | null;
  waiting_for: string | null;
  error: string | null;
  event: string;
  body: string | null;
  lease_number: number;
  created_at: number;
  started_at: number | null;
};
type StepRow = {
  run_id: string;
  node_id: string;
  item: number;
  state: string;
  ended_at: number | null;
  output: string | null;
  warnings: string | null;
};

export type TrialFacts = {
  /** Deliveries that were accepted, and runs of each outcome. */
  accepted: number;
  refused: number;
  runs: Record<string, number>;
  /** Runs that wait for a person. */
  unsure: number;
  ticks: number;
  /** Requests that the outside system received, and those under a key that it had already. */
  requests: number;
  keysRepeated: number;
  timers: number;
  /** How late timers fired that no fault met, in ms. */
  timerLateMs: { p50: number; p99: number; max: number };
};

type CheckDeps = {
  database: TrialDatabase;
  isPostgres: boolean;
  flows: Flows;
  deliveries: readonly Delivery[];
  target: TrialTarget;
  /** Runs that a paused server worked on. */
  paused: ReadonlySet<string>;
  outages: ReadonlyArray<{ from: number; to: number }>;
};

/** Compares the tables with what senders were answered and what the outside system got. Throws at a difference. */
export async function checkTrial(deps: CheckDeps): Promise<TrialFacts> {
  const { database, isPostgres, target, deliveries } = deps;
  const body = isPostgres ? "convert_from(raw, 'UTF8')" : "cast(raw as text)";
  const runs = await database.query<RunRow>(
    `select id, workflow_id, state, trigger_id, trigger_type, parent_run_id, waiting_for, error, event,
       ${body} as body, lease_number, created_at, started_at from workflow_runs order by id`,
  );
  const steps = await database.query<StepRow>(
    "select run_id, node_id, item, state, ended_at, output, warnings from workflow_steps",
  );
  for (const run of runs) toNumbers(run, ["lease_number", "created_at", "started_at"]);
  for (const step of steps) toNumbers(step, ["item", "ended_at"]);
  checkDeliveries(deps, runs);
  const unsure = checkOutcomes(deps, runs);
  const ticks = checkTicks(runs);
  checkSteps(deps, steps, await database.query("select step from trial_repeats"));
  checkAsked(deps, await database.query("select principal, state from pending_calls"));
  if (isPostgres) checkWriters(await database.query("select name, lease from trial_writers"));
  for (const flow of ["queue", "drop"] as const) checkOrder(deps, runs, deps.flows[flow]);
  checkStarts(deps, runs, steps);
  const late = listLateness(deps, runs, steps);
  const byState = Object.groupBy(runs, ({ state }) => state);
  const keys = new Set(target.requests.map(({ step }) => step));
  return {
    accepted: deliveries.filter(({ run }) => run !== null).length,
    refused: deliveries.filter(({ isRefused }) => isRefused).length,
    runs: Object.fromEntries(
      Object.entries(byState).map(([state, of]) => [state, of?.length ?? 0]),
    ),
    unsure,
    ticks,
    requests: target.requests.length,
    keysRepeated: target.requests.length - keys.size,
    timers: late.length,
    timerLateMs: {
      p50: late[Math.floor(late.length / 2)] ?? 0,
      p99: late[Math.floor(late.length * 0.99)] ?? 0,
      max: late.at(-1) ?? 0,
    },
  };
}

/** Every delivery that was accepted has one run with the event that was sent; another one has at most one. */
function checkDeliveries({ deliveries, flows }: CheckDeps, runs: readonly RunRow[]): void {
  const ofDelivery = new Map<string, RunRow[]>();
  for (const run of runs) {
    if (run.state === "dropped" || run.trigger_type !== "webhook") continue;
    const id = String(JSON.parse(run.event).Payload.headers["x-hub-delivery"]);
    ofDelivery.set(id, [...(ofDelivery.get(id) ?? []), run]);
  }
  for (const { id, flow, run, body } of deliveries) {
    const all = ofDelivery.get(id) ?? [];
    for (const row of all) {
      expectSame(`the event of ${id}`, [row.body, row.workflow_id], [body, flows[flow]]);
      expectSame(`the method of ${id}`, JSON.parse(row.event).Payload.method, "POST");
    }
    // A delivery whose run failed or was cancelled starts again if it arrives again, such as a request that a paused
    // server takes up late.
    const found = all.filter((row) => row.id === run || !/failed|cancelled/.test(row.state));
    const ids = found.map((row) => row.id);
    if (run !== null) expectSame(`the runs of ${flow} ${id}, which was accepted`, ids, [run]);
    else expectSame(`the runs of ${flow} ${id} are at most one`, ids.slice(1), []);
  }
  const known = new Set(deliveries.map(({ id }) => id));
  expectSame(
    "runs of unknown deliveries",
    [...ofDelivery.keys()].filter((id) => !known.has(id)),
    [],
  );
}

/** Every run ended as its workflow says, or waits for a person and says for what. */
function checkOutcomes({ flows, deliveries }: CheckDeps, runs: readonly RunRow[]): number {
  const cancelled = new Set(deliveries.flatMap(({ run, isCancelled }) => (isCancelled ? run : [])));
  let unsure = 0;
  for (const { id, workflow_id: workflow, state, waiting_for: text, error } of runs) {
    const place = `the run ${id} of ${findName(flows, workflow)}, ${error}`;
    if (state === "waiting") {
      const waitsFor = text === null ? null : JSON.parse(text);
      const facts = [waitsFor?.kind, onceNodes.includes(waitsFor?.node_id), !!waitsFor?.message];
      expectSame(`what ${place}, waits for: ${text}`, facts, ["person", true, true]);
      unsure += 1;
      continue;
    }
    const expected = workflow === flows.fails ? "failed" : "succeeded";
    const isCancelFlow = workflow === flows.cancel;
    if (state === "dropped" || (isCancelFlow && state === "cancelled")) continue;
    if (cancelled.has(id)) expectSame(place, state, "cancelled");
    expectSame(place, state, expected);
  }
  return unsure;
}

function checkTicks(runs: readonly RunRow[]): number {
  const ticks = runs
    .filter(({ trigger_type, state }) => trigger_type === "cron" && state !== "dropped")
    .map(({ event }) => String(JSON.parse(event).Payload.time));
  const twice = ticks.filter((time, at) => ticks.indexOf(time) !== at);
  expectSame("ticks that fired twice", twice, []);
  return ticks.length;
}

/** No committed step ran again, and no step with effects was sent twice. */
function checkSteps(
  { target, paused }: CheckDeps,
  steps: readonly StepRow[],
  repeats: readonly { step: string }[],
): void {
  expectSame(
    "committed steps that were stored again",
    repeats.map(({ step }) => step),
    [],
  );
  const isOfPaused = (step: string) => paused.has(step.split("/")[0] ?? "");
  const again = target.repeated.filter((step) => !isOfPaused(step));
  expectSame("committed steps that were sent again", again, []);
  const times = Map.groupBy(target.requests, ({ step }) => step);
  for (const [step, requests] of times) {
    const [run, node = "", item] = step.split("/");
    expectSame(
      `the keys of ${step}`,
      requests.every(({ key }) => key === null || key === `${run}:${node}:${item}:0`),
      true,
    );
    if (onceNodes.includes(node)) expectSame(`how often ${step} was sent`, requests.length, 1);
  }
  const isSent = new Set(target.requests.map(({ node }) => node));
  for (const { run_id: run, node_id: node, item, state } of steps) {
    if (state !== "succeeded" || !isSent.has(node) || (node === "many" && item < 0)) continue;
    expectSame(
      `whether ${run}/${node}/${item} was sent`,
      times.has(`${run}/${node}/${item}`),
      true,
    );
  }
}

/** A call that people are asked about is asked about once, whatever died, and is sent only after the decision. */
function checkAsked(
  { target }: CheckDeps,
  calls: readonly { principal: string; state: string }[],
): void {
  const ofRuns = Map.groupBy(calls, ({ principal }) => principal.slice("workflow:".length));
  for (const [run, asked] of ofRuns) expectSame(`the questions of ${run}`, asked.length, 1);
  for (const { run, node, step } of target.requests) {
    if (node !== "asked") continue;
    const state = ofRuns.get(run)?.[0]?.state ?? "";
    const isUsed = ["running", "done", "unknown"].includes(state);
    expectSame(`whether ${step}, which is ${state}, was approved`, isUsed, true);
  }
}

/** Each process writes steps of runs under its own lease only. */
function checkWriters(writers: readonly { name: string; lease: string }[]): void {
  for (const [name, leases] of Map.groupBy(writers, (writer) => writer.name)) {
    expectSame(`the leases under which ${name} wrote`, leases.length, 1);
  }
  const leases = Map.groupBy(writers, (writer) => writer.lease);
  for (const [lease, names] of leases) expectSame(`the writers under ${lease}`, names.length, 1);
}

/** Runs of a workflow that are not allowed beside each other do not meet, and stay in order. */
function checkOrder(
  { target, paused }: CheckDeps,
  runs: readonly RunRow[],
  workflow: string,
): void {
  const own = new Map(
    runs.filter(({ workflow_id: id }) => id === workflow).map((run) => [run.id, run]),
  );
  const places = new Map<string, { first: number; last: number }>();
  target.requests.forEach(({ run }, at) => {
    if (!own.has(run) || paused.has(run)) return;
    places.set(run, { first: places.get(run)?.first ?? at, last: at });
  });
  let before: { id: string; last: number; createdAt: number } | null = null;
  for (const [id, { first, last }] of places) {
    const createdAt = own.get(id)?.created_at ?? 0;
    if (before !== null) {
      expectSame(`whether ${id} began before the end of ${before.id}`, first < before.last, false);
      // Servers that accept at the same time may be stored in another order.
      const isOvertaken = createdAt < before.createdAt - 5_000;
      expectSame(`whether ${before.id} overtook ${id}`, isOvertaken, false);
    }
    before = { id, last, createdAt };
  }
}

/** Each failed run starts one run of the error trigger, and each output with a time one run at it. */
function checkStarts(
  { flows }: CheckDeps,
  runs: readonly RunRow[],
  steps: readonly StepRow[],
): void {
  const ofErrors = runs.filter(({ trigger_type }) => trigger_type === "error");
  const failed = runs.filter(
    ({ state, workflow_id: id }) => state === "failed" && id === flows.fails,
  );
  expectSame(
    "the runs whose failure started one run",
    ofErrors.map((run) => String(run.parent_run_id)).sort(),
    failed.map(({ id }) => id).sort(),
  );
  const planned = steps.filter(
    ({ node_id: node, state, warnings }) =>
      node === "plan" && state === "succeeded" && warnings === null,
  );
  const scheduled = runs.filter(({ trigger_type }) => trigger_type === "schedule_at");
  const toTime = (text: string | null) => JSON.parse(text ?? "{}").schedule_at;
  expectSame(
    "the times of scheduled runs",
    scheduled.map(({ event }) => JSON.parse(event).Payload.schedule_at).sort(),
    planned.map(({ output }) => toTime(output)).sort(),
  );
}

/** In ascending order. */
function listLateness(
  { flows, outages }: CheckDeps,
  runs: readonly RunRow[],
  steps: readonly StepRow[],
): number[] {
  const toLate = (due: number, fired: number) => {
    const outage = outages.findLast(({ from, to }) => from <= fired && to >= due);
    return Math.max(0, fired - Math.max(due, outage?.to ?? 0));
  };
  const naps = new Map(
    steps.filter(({ node_id: node }) => node === "nap").map((step) => [step.run_id, step]),
  );
  const late: number[] = [];
  for (const run of runs) {
    const nap = naps.get(run.id);
    // Accepted, and claimed when it was due: no fault met it.
    const isNapped = run.workflow_id === flows.timer && run.lease_number === 2;
    if (isNapped && nap?.ended_at != null && nap.output !== null) {
      late.push(toLate(Date.parse(JSON.parse(nap.output).until), nap.ended_at));
    }
    const isScheduled = run.trigger_type === "schedule_at" && run.lease_number === 1;
    if (isScheduled && run.started_at !== null) {
      late.push(toLate(Date.parse(JSON.parse(run.event).Payload.schedule_at), run.started_at));
    }
  }
  return late.sort((one, other) => one - other);
}

function findName(flows: Flows, id: string): string {
  return Object.entries(flows).find(([, workflow]) => workflow === id)?.[0] ?? id;
}

/** PostgreSQL gives 64-bit integers as texts. */
function toNumbers<Row extends object>(row: Row, keys: readonly (keyof Row)[]): void {
  for (const key of keys) {
    if (row[key] !== null) Object.assign(row, { [key]: Number(row[key]) });
  }
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}: found ${Bun.inspect(found)}, expected ${Bun.inspect(expected)}`);
}
