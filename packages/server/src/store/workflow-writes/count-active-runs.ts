import type { QueuePolicy } from "../workflow-runs/workflow-run-records.ts";
import type { Statements } from "./statements.ts";

/** The condition of the index of active runs. SQLite uses the index only in statements that repeat it. */
export const isActive = "state in ('queued', 'running', 'waiting')";

/** What the active runs of a workflow are counted by. */
export type RunKind = "running" | "waiting" | "queued" | "scheduled";

type Counted = { runs: number; bytes: number };

/**
 * How many live runs a workflow has. In a transaction each number is read once, and then follows the writes
 * of the transaction: concurrent runs share it, and each of them would read the same rows.
 */
export type RunCounts = {
  count(workflowId: string, kind: RunKind): Promise<Counted>;
  /** Records that a run has become another kind. Null is a run that is not active. */
  move(run: CountedRun, from: RunKind | null, to: RunKind | null): void;
};

/** Only the bytes of queued runs matter. */
type CountedRun = { workflowId: string; bytes?: number };

const conditions: Record<RunKind, string> = {
  running: "state = 'running'",
  waiting: "state = 'waiting'",
  queued: "state = 'queued' and scheduled_at is null",
  scheduled: "state = 'queued' and scheduled_at is not null",
};

/** The counts of one transaction. */
export function createRunCounts(db: Statements): RunCounts {
  const known = new Map<string, Counted>();
  const toKey = (workflowId: string, kind: RunKind) => `${kind}:${workflowId}`;

  async function read(workflowId: string, kind: RunKind): Promise<Counted> {
    const [row] = await db.all<Counted>(
      `select count(*) as runs, coalesce(sum(event_bytes), 0) as bytes from workflow_runs
       where workflow_id = ? and mode = 'live' and ${conditions[kind]} and ${isActive}`,
      [workflowId],
    );
    return { runs: Number(row?.runs ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  function add(kind: RunKind | null, workflowId: string, runs: 1 | -1, bytes: number): void {
    const counted = kind === null ? undefined : known.get(toKey(workflowId, kind));
    if (counted === undefined) return;
    counted.runs += runs;
    counted.bytes += runs * bytes;
  }

  return {
    async count(workflowId, kind) {
      const key = toKey(workflowId, kind);
      const counted = known.get(key) ?? (await read(workflowId, kind));
      known.set(key, counted);
      return counted;
    },
    move({ workflowId, bytes = 0 }, from, to) {
      add(from, workflowId, -1, bytes);
      add(to, workflowId, 1, bytes);
    },
  };
}

/** The kind of a stored run that is active. */
export function toRunKind(run: { state: string; scheduled_at: number | null }): RunKind {
  if (run.state === "queued") return run.scheduled_at === null ? "queued" : "scheduled";
  return run.state === "running" ? "running" : "waiting";
}

/** Whether one more run of the workflow may run now. A waiting run keeps its slot, unless the policy frees it. */
export async function hasCapacity(
  counts: Pick<RunCounts, "count">,
  workflowId: string,
  { policy, runsAtOnce, freesPlace }: QueuePolicy,
): Promise<boolean> {
  const slots = policy === "parallel" ? runsAtOnce : 1;
  const { runs: running } = await counts.count(workflowId, "running");
  if (freesPlace || running >= slots) return running < slots;
  return running + (await counts.count(workflowId, "waiting")).runs < slots;
}
