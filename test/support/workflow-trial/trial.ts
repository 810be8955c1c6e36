import { setTimeout as wait } from "node:timers/promises";
import { startEmbedded } from "../postgres-server.ts";
import { createRandom } from "../random.ts";
import { waitFor } from "../wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../workflow-hub.ts";
import { checkTrial, type TrialFacts } from "./check.ts";
import {
  openPostgresDatabase,
  openSqliteDatabase,
  type TrialDatabase,
  watchOnPostgres,
  watchOnSqlite,
} from "./database.ts";
import { decideCalls } from "./decide-calls.ts";
import { type Fault, faults } from "./faults.ts";
import { publishFlows } from "./flows.ts";
import { type Delivery, sendDeliveries } from "./senders.ts";
import { startServers } from "./servers.ts";
import { startTarget, type TrialTarget } from "./target.ts";

export type TrialReport = TrialFacts & {
  seed: number;
  faults: Partial<Record<Fault, number>>;
  sent: number;
  /** The longest time that a run was due before a process took it up, as far as it was seen. */
  takenUpMs: number;
};

type TrialOptions = {
  seed: number;
  faults: readonly Fault[];
  /** Three servers on PostgreSQL, or one on SQLite. */
  isPostgres: boolean;
  pauseMs?: number;
  /** Deliveries that are accepted between two faults. */
  acceptedBetween?: number;
  onFault?(fault: Fault, count: number, accepted: number): void;
};

const env = {
  HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
  HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
};
const encKey = "5a".repeat(32);
const observeMs = 250;

/**
 * Lets servers and their database fail while webhooks, timers and errors start runs of many kinds, and compares the
 * tables with what senders and an outside system saw. Throws at the first difference.
 */
export async function tryWorkflows(options: TrialOptions): Promise<TrialReport> {
  const { seed, isPostgres, acceptedBetween = 40 } = options;
  const random = createRandom(seed);
  await using resources = new AsyncDisposableStack();
  const postgres = isPostgres ? resources.use(await startEmbedded()) : null;
  const target = resources.use(startTarget());
  const databaseUrl = (await postgres?.createDatabase()) ?? null;
  const own = { ...env, ...(isPostgres && { HUB_ENC_KEY: encKey }) };
  const { all: servers, dataDir } = resources.use(
    await startServers(isPostgres ? 3 : 1, { env: own, databaseUrl }),
  );
  const database = resources.use(
    databaseUrl === null ? openSqliteDatabase(dataDir) : openPostgresDatabase(databaseUrl),
  );
  for (const statement of isPostgres ? watchOnPostgres : watchOnSqlite) {
    await database.query(statement);
  }
  const [first] = servers;
  if (!first?.hub) throw new Error("No server runs.");
  const token = await first.hub.makeManageToken();
  const flows = await publishFlows(await openWorkflowHub(first.hub), target.url);

  const deliveries: Delivery[] = [];
  const outages: Array<{ from: number; to: number }> = [];
  const paused = new Set<string>();
  let isStopped = false;
  const isOver = () => isStopped;
  const senders = sendDeliveries(
    { servers, flows, random: createRandom(seed + 1), seed, token, isStopped: isOver },
    deliveries,
  );
  const observer = observe(database, target, isOver);
  let isDecided = false;
  const deciding = decideCalls(database, () => isDecided);
  const working = Promise.all([senders, observer.done]);
  const failed = working.then(() => new Promise<never>(() => {}));
  const countAccepted = () => deliveries.filter(({ run }) => run !== null).length;
  try {
    for (const [index, fault] of options.faults.entries()) {
      const goal = countAccepted() + random.below(2 * acceptedBetween);
      await Promise.race([failed, waitFor(() => countAccepted() >= goal)]);
      await faults[fault]({
        servers,
        random,
        database,
        postgres,
        pauseMs: options.pauseMs ?? 40_000,
        onPaused(ids) {
          for (const id of ids) paused.add(id);
        },
        onOutage: (from, to) => outages.push({ from, to }),
      });
      options.onFault?.(fault, index + 1, countAccepted());
    }
    const goal = countAccepted() + acceptedBetween;
    await Promise.race([failed, waitFor(() => countAccepted() >= goal)]);
  } finally {
    isStopped = true;
  }
  await working;
  await first.hub.cli("workflow", "disable", flows.cron);
  const hub = await openWorkflowHub(first.hub);
  await waitFor(async () => {
    await cancelRest(database, hub, flows.cancel);
    await wait(observeMs);
    return await isQuiet(database);
  });
  isDecided = true;
  await deciding;
  const facts = await checkTrial({
    database,
    isPostgres,
    flows,
    deliveries,
    target,
    paused,
    outages,
  });
  for (const server of servers) await server.stop();
  const counts = Object.groupBy(options.faults, (fault) => fault);
  return {
    seed,
    faults: Object.fromEntries(Object.entries(counts).map(([name, of]) => [name, of.length])),
    sent: deliveries.length,
    ...facts,
    takenUpMs: observer.takenUpMs(),
  };
}

/** Looks at the tables from time to time, also while the database is away. */
function observe(database: TrialDatabase, target: TrialTarget, isOver: () => boolean) {
  let takenUpMs = 0;
  let since = 0;
  async function look(): Promise<void> {
    const ended = await database.query<{ step: string; ended_at: number }>(
      `select run_id || '/' || node_id || '/' || item as step, ended_at from workflow_steps
       where ended_at >= ${since} and state = 'succeeded' order by ended_at`,
    );
    for (const { step } of ended) target.committed.add(step);
    // Steps are committed after the time that they carry.
    since = Math.max(since, Number(ended.at(-1)?.ended_at ?? 0) - 20_000);
    const [free] = await database.query<{ due: number | null }>(
      "select min(due_at) as due from workflow_runs where due_at is not null and lease_instance is null",
    );
    if (free?.due != null) takenUpMs = Math.max(takenUpMs, Date.now() - Number(free.due));
  }
  const done = (async () => {
    while (!isOver()) {
      await look().catch(() => {});
      await wait(observeMs);
    }
  })();
  return { done, takenUpMs: () => takenUpMs };
}

async function isQuiet(database: TrialDatabase): Promise<boolean> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from workflow_runs where state in ('queued', 'running')
       or (state = 'waiting' and waiting_for not like '%"kind":"person"%')`,
  );
  return Number(row?.count) === 0;
}

/** Runs whose sender could not cancel them would wait for minutes. */
async function cancelRest(
  database: TrialDatabase,
  hub: WorkflowHub,
  workflow: string,
): Promise<void> {
  const rest = await database.query<{ id: string }>(
    `select id from workflow_runs where workflow_id = '${workflow}' and state = 'waiting'`,
  );
  for (const { id } of rest) {
    await hub.api("POST", `/manager/api/workflows/${workflow}/runs/${id}/cancel`, {});
  }
}
