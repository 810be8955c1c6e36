import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { ageInstances } from "./audit.ts";
import { createDataFolder } from "./data-folder.ts";
import { queryDatabase } from "./query-database.ts";
import { createRandom, type Random } from "./random.ts";
import { type RunningHub, startHub } from "./start-hub.ts";
import { usesPostgres } from "./test-database.ts";
import { waitFor } from "./wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "./workflow-hub.ts";

/** What became of the runs of all rounds. */
export type WorkflowKillReport = {
  kills: number;
  /** Deliveries that were sent, and those that got 202. */
  sent: number;
  accepted: number;
  /** Deliveries whose 202 was lost although their run was stored, and that were not sent again. */
  answerLost: number;
  succeeded: number;
  /** Runs that wait for a person, because a step with effects was interrupted. */
  unsure: number;
  /** Requests of runs that the outside system received, and those that repeat an earlier one. */
  effects: number;
  repeated: number;
  ticks: number;
  /** The longest time from a start of the hub until each interrupted run was taken up. */
  takenUpMs: number;
  /** The longest time from when a timer was due, or from the start that followed, until it fired. */
  timerLateMs: number;
};

type Delivery = { id: string; workflow: string; run: string | null };
type Effect = { run: string; node: string; key: string | null };
type RunRow = {
  id: string;
  workflow_id: string;
  state: string;
  trigger_id: string;
  waiting_for: string | null;
  error: string | null;
  event: string;
};
type StepRow = { run_id: string; node_id: string; started_at: number; ended_at: number | null };

const workers = 12;
const napMs = 2000;

/**
 * Repeatedly kills `hub serve` with SIGKILL at random times while webhooks arrive, on one data folder. Then
 * compares the runs with what senders were answered and with what the outside system received. Throws at
 * the first difference.
 */
export async function killWorkflows(
  { seed, count }: { seed: number; count: number },
  onRound: (round: number, accepted: number) => void = () => {},
): Promise<WorkflowKillReport> {
  const random = createRandom(seed);
  await using folder = await createDataFolder();
  await using outside = startOutside();
  const dataDir = folder.path;
  const env = {
    HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
    HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
  };
  const deliveries = new Map<string, Delivery>();
  const startedAt: number[] = [];
  let takenUpMs = 0;
  const flows = await startWorkflowHub({ dataDir, env });
  let hub: RunningHub = flows.hub;
  try {
    const targets = await publishTargets(flows, outside.url);
    for (let round = 0; round < count; round += 1) {
      await sendUntilKill(random, hub, targets, deliveries, `${seed}/${round}/`);
      if (usesPostgres) ageInstances(dataDir);
      const left = new Set(listRunning(dataDir));
      const restartedAt = Date.now();
      hub = await startHub({ dataDir, env });
      startedAt.push(Date.now());
      // In other rounds, the next kill may meet runs that were not taken up yet.
      if (random.below(3) === 0) {
        await waitFor(() => listRunning(dataDir).every((lease) => !left.has(lease)));
        takenUpMs = Math.max(takenUpMs, Date.now() - restartedAt);
      }
      onRound(round, [...deliveries.values()].filter(({ run }) => run !== null).length);
    }
    await hub.cli("workflow", "disable", targets.cron);
    const isActive = `state in ('queued', 'running') or (state = 'waiting' and due_at is not null)`;
    await waitFor(() => countRuns(dataDir, isActive) === 0);
    await hub.stop();
    const steps = readSteps(dataDir);
    const facts = checkRuns(readRuns(dataDir), [...deliveries.values()], outside.effects);
    checkOnce(steps, outside.effects);
    return {
      ...{ kills: count, sent: deliveries.size, ...facts, takenUpMs },
      timerLateMs: findLateness(steps, startedAt),
    };
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause}`, { cause });
  } finally {
    await hub[Symbol.asyncDispose]();
    await flows[Symbol.asyncDispose]();
  }
}

/** An outside system that records what it receives, and answers after a moment. */
function startOutside() {
  const effects: Effect[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const [, run = "", node = ""] = new URL(req.url).pathname.split("/");
      effects.push({ run, node, key: req.headers.get("idempotency-key") });
      // Turns of the event loop, so that kills meet calls in flight.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
      return Response.json({ node });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    effects,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

type Targets = { webhooks: string[]; cron: string };

async function publishTargets(flows: WorkflowHub, url: string): Promise<Targets> {
  const settings = { queue: { runs_at_once: 32 } };
  const hook = { id: "hook", type: "webhook" as const, entry: "check" };
  const check = {
    ...{ id: "check", type: "branch" as const },
    conditions: [{ left: "{{.Event.Payload.method}}", op: "eq" as const, right: "POST" }],
  };
  const send = (id: string, fields: { method: "POST" | "GET"; repeat?: boolean }) => ({
    ...{ id, type: "http" as const, url: `${url}/{{.Run.ID}}/${id}`, ...fields },
  });
  const copy = { id: "copy", type: "set" as const, value: "{{.Event.Payload.raw}}" };
  const chain = (...nodes: NonNullable<WorkflowBodyInput["nodes"]>): WorkflowBodyInput => ({
    ...{ triggers: [hook], nodes: [check, ...nodes], settings },
    edges: [check, ...nodes].slice(1).map(({ id }, at) => ({
      ...{ from: [check, ...nodes][at]?.id ?? "", to: id },
      ...(at === 0 && { case: "true" }),
    })),
  });
  const once = chain(copy, send("once", { method: "POST" }));
  const repeats = ["one", "two", "three"].map((id) => send(id, { method: "POST", repeat: true }));
  const timer = chain(
    { id: "nap", type: "wait", seconds: napMs / 1000 },
    send("after", { method: "GET" }),
  );
  const publish = (name: string, body: WorkflowBodyInput) => flows.publish(body, { name });
  return {
    webhooks: [
      await publish("Once", once),
      await publish("Repeats", chain(copy, ...repeats)),
      await publish("Timer", timer),
    ],
    cron: await publish("Ticks", {
      triggers: [{ id: "tick", type: "cron", schedule: "* * * * * *", entry: "tock" }],
      nodes: [send("tock", { method: "GET" })],
      edges: [],
    }),
  };
}

/** Sends deliveries until a random number was accepted, and kills the server during other requests. */
async function sendUntilKill(
  random: Random,
  hub: RunningHub,
  { webhooks }: Targets,
  deliveries: Map<string, Delivery>,
  marker: string,
): Promise<void> {
  const acceptedMax = random.below(250);
  const turnsMore = random.below(40);
  const reached = Promise.withResolvers<void>();
  // Senders repeat deliveries that were not answered.
  const lost = [...deliveries.values()].filter(({ run }) => run === null);
  let isKilled = false;
  let accepted = 0;

  async function work(): Promise<void> {
    while (!isKilled) {
      const again = random.below(2) === 0 ? lost.pop() : undefined;
      const fresh = {
        ...{ id: `${marker}${deliveries.size}`, workflow: random.pick(webhooks), run: null },
      };
      const delivery: Delivery = again ?? fresh;
      deliveries.set(delivery.id, delivery);
      const answer = await deliver(hub, delivery).catch(() => null);
      if (answer === null) break;
      // Too many runs of the workflow wait.
      if (answer.status === 429) continue;
      expectSame(
        `the answer to ${delivery.id}`,
        [answer.status, answer.text],
        [202, '{"matched":1}'],
      );
      delivery.run = answer.run;
      accepted += 1;
      if (accepted > acceptedMax) reached.resolve();
    }
    // If the server fails on its own, the test must not wait for more answers.
    reached.resolve();
  }

  const working = Array.from({ length: workers }, work);
  await reached.promise;
  for (let turn = 0; turn < turnsMore; turn += 1) await new Promise((done) => setImmediate(done));
  isKilled = true;
  await hub.kill();
  await Promise.all(working);
}

async function deliver({ url }: RunningHub, { id, workflow }: Delivery) {
  const response = await fetch(`${url}/webhook/${workflow}/`, {
    method: "POST",
    headers: { "x-hub-delivery": id },
    body: id,
  });
  const run = response.headers.get("x-hub-run-id");
  return { status: response.status, text: await response.text(), run };
}

function checkRuns(
  runs: readonly RunRow[],
  deliveries: readonly Delivery[],
  effects: readonly Effect[],
) {
  const ofDelivery = new Map<string, RunRow[]>();
  const ticks: string[] = [];
  for (const run of runs) {
    if (run.state === "dropped") continue;
    const { Payload: payload } = JSON.parse(run.event);
    if (run.trigger_id === "tick") ticks.push(payload.time);
    else {
      const id = payload.headers["x-hub-delivery"];
      ofDelivery.set(id, [...(ofDelivery.get(id) ?? []), run]);
    }
  }
  expectSame("ticks that fired twice", ticks.length - new Set(ticks).size, 0);
  let answerLost = 0;
  for (const { id, run } of deliveries) {
    const found = (ofDelivery.get(id) ?? []).map((row) => row.id);
    if (run !== null) expectSame(`the runs of ${id}, which got 202`, found, [run]);
    else expectSame(`whether ${id} has at most one run`, found.length <= 1, true);
    if (run === null && found.length === 1) answerLost += 1;
  }
  const counts = { succeeded: 0, unsure: 0 };
  for (const { id, state, waiting_for: text, error } of runs) {
    if (state === "dropped") continue;
    const waitsFor = text === null ? null : JSON.parse(text);
    if (state === "succeeded") counts.succeeded += 1;
    else {
      const place = `the run ${id}, ${error}`;
      expectSame(
        place,
        { state, waitsFor },
        {
          state: "waiting",
          waitsFor: { kind: "person", node_id: "once", item: -1, message: waitsFor?.message },
        },
      );
      expectSame(`the message of ${id}`, typeof waitsFor.message, "string");
      counts.unsure += 1;
    }
  }
  const accepted = deliveries.filter(({ run }) => run !== null).length;
  const distinct = new Set(effects.map(({ run, node }) => `${run}/${node}`)).size;
  const sums = { effects: effects.length, repeated: effects.length - distinct };
  return { accepted, answerLost, ...counts, ...sums, ticks: ticks.length };
}

/** Checks what the outside system received: no committed step ran again. */
function checkOnce(steps: readonly StepRow[], effects: readonly Effect[]): void {
  const order = ["one", "two", "three"];
  const reached = new Map<string, number>();
  const keys = new Map<string, string | null>();
  const received = new Set<string>();
  for (const { run, node, key } of effects) {
    const step = `${run}/${node}`;
    if (node === "once") expectSame(`whether ${step} was sent twice`, received.has(step), false);
    received.add(step);
    if (node !== "after" && node !== "tock") {
      expectSame(`the key of ${step}`, key, keys.get(step) ?? `${run}:${node}:-1:0`);
      keys.set(step, key);
    }
    // A step starts after the step before it was committed.
    const position = order.indexOf(node);
    if (position < 0) continue;
    const known = reached.get(run) ?? 0;
    expectSame(`whether ${step} was sent after the next step`, position >= known, true);
    reached.set(run, position);
  }
  for (const { run_id: run, node_id: node, ended_at: endedAt } of steps) {
    const isSent = ["once", "after", "tock", ...order].includes(node);
    if (!isSent || endedAt === null) continue;
    expectSame(`whether ${run}/${node} was sent`, received.has(`${run}/${node}`), true);
  }
}

function findLateness(steps: readonly StepRow[], serverStarts: readonly number[]): number {
  let latest = 0;
  for (const { ended_at: endedAt, started_at: startedAt, node_id: node } of steps) {
    if (node !== "nap" || endedAt === null) continue;
    // After a start, a timer that was due meanwhile fires at once.
    const serverStart = serverStarts.findLast((at) => at <= endedAt) ?? 0;
    latest = Math.max(latest, endedAt - Math.max(startedAt + napMs, serverStart));
  }
  return latest;
}

/** The claims of runs that are worked on, or were when the server was killed. */
function listRunning(dataDir: string): string[] {
  const runs = queryDatabase<{ id: string; lease_number: number }>(
    dataDir,
    "select id, lease_number from workflow_runs where state = 'running'",
  );
  return runs.map((run) => `${run.id} ${run.lease_number}`);
}

function countRuns(dataDir: string, condition: string): number {
  const [row] = queryDatabase<{ count: number }>(
    dataDir,
    `select count(*) as count from workflow_runs where ${condition}`,
  );
  return Number(row?.count);
}

const readRuns = (dataDir: string) =>
  queryDatabase<RunRow>(
    dataDir,
    `select id, workflow_id, state, trigger_id, waiting_for, error, event from workflow_runs order by id`,
  );

const readSteps = (dataDir: string) =>
  queryDatabase<StepRow>(
    dataDir,
    "select run_id, node_id, started_at, ended_at from workflow_steps",
  );

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}: found ${Bun.inspect(found)}, expected ${Bun.inspect(expected)}`);
}
