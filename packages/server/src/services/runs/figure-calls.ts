import type { CallFigures } from "@hub/contract/call-figures.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import { toIdMs } from "../../store/database/timed-ids.ts";
import { readTimedRuns, type TimedRun } from "../../store/runs/run-figures.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadEmails } from "./present-run.ts";
import { type CallFilter, type CallsOf, toCallScan } from "./scan-of-caller.ts";

/** Operations, users and slow calls that are named. */
const namedMax = 5;

type Counted = { calls: number; errors: number };
type OfOperation = Counted & { run: TimedRun; latencies: number[] };

/** Counts and times of the newest calls that match a filter. Those of all users are for admins. */
export async function figureCalls(
  { store: { db } }: Pick<ServiceDeps, "store">,
  caller: Caller,
  of: CallsOf,
  filter: CallFilter,
): Promise<CallFigures> {
  const calls = new FiguredCalls();
  const scan = toCallScan(caller, of, filter);
  const stoppedAt = scan === null ? null : await readTimedRuns(db, scan, (run) => calls.add(run));
  const users = calls.listUsers();
  const emails = await loadEmails(db, users);
  return {
    counted_from: stoppedAt === null ? null : toTimeText(stoppedAt),
    ...calls.toFigures(),
    users: users.map(({ userId, calls: made, errors }) => {
      return { user_id: userId, user: emails.get(userId) ?? null, calls: made, errors };
    }),
  };
}

/** Sums of calls, of which each is added once. */
class FiguredCalls {
  #running = 0;
  #errors = 0;
  readonly #latencies: number[] = [];
  readonly #operations = new Map<string, OfOperation>();
  readonly #users = new Map<string, Counted>();
  #slowest: TimedRun[] = [];
  #calls = 0;

  add(run: TimedRun): void {
    if (run.status === "running") {
      this.#running += 1;
      return;
    }
    this.#calls += 1;
    const isError = run.status === "error" || run.status === "denied";
    if (isError) this.#errors += 1;
    const key = `${run.connector_id} ${run.operation_key}`;
    const operation = this.#operations.get(key) ?? { run, latencies: [], calls: 0, errors: 0 };
    const user = this.#users.get(run.user_id) ?? { calls: 0, errors: 0 };
    this.#operations.set(key, count(operation, isError));
    this.#users.set(run.user_id, count(user, isError));
    if (run.latency_ms === null) return;
    this.#latencies.push(run.latency_ms);
    operation.latencies.push(run.latency_ms);
    this.#addSlow(run, run.latency_ms);
  }

  listUsers() {
    return listMost(this.#users).map(([userId, counted]) => {
      return { userId, calls: counted.calls, errors: counted.errors };
    });
  }

  toFigures(): Omit<CallFigures, "counted_from" | "users"> {
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      calls: this.#calls,
      running: this.#running,
      errors: this.#errors,
      error_rate: this.#calls === 0 ? null : this.#errors / this.#calls,
      p50_ms: toPercentile(sorted, 0.5),
      p95_ms: toPercentile(sorted, 0.95),
      p99_ms: toPercentile(sorted, 0.99),
      operations: listMost(this.#operations).map(([, { run, latencies, calls, errors }]) => ({
        ...toCalled(run),
        calls,
        errors,
        p95_ms: toPercentile(Float64Array.from(latencies).sort(), 0.95),
      })),
      slowest: this.#slowest.map((run) => ({
        ...toCalled(run),
        id: run.id,
        latency_ms: run.latency_ms ?? 0,
        started_at: toTimeText(toIdMs(run.id)),
      })),
    };
  }

  #addSlow(run: TimedRun, latencyMs: number): void {
    const last = this.#slowest.at(-1)?.latency_ms ?? 0;
    if (this.#slowest.length === namedMax && latencyMs <= last) return;
    const all = [...this.#slowest, run];
    this.#slowest = all
      .toSorted((one, other) => (other.latency_ms ?? 0) - (one.latency_ms ?? 0))
      .slice(0, namedMax);
  }
}

function count<Sum extends Counted>(sum: Sum, isError: boolean): Sum {
  sum.calls += 1;
  if (isError) sum.errors += 1;
  return sum;
}

function listMost<Sum extends Counted>(sums: ReadonlyMap<string, Sum>): Array<[string, Sum]> {
  return [...sums].toSorted(([, one], [, other]) => other.calls - one.calls).slice(0, namedMax);
}

function toCalled(run: TimedRun) {
  const { connector_id, row_label, operation_key } = run;
  return { connector_id, row_label, operation_key };
}

/** The smallest value that at least this share of the values does not exceed; null if there are none. */
function toPercentile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}
