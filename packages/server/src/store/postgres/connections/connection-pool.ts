import type { ReservedSQL, SQL } from "bun";
import type { DatabaseStatus } from "../../../lib/metrics/metrics.ts";
import { toStoreError } from "../postgres-errors.ts";
import { toParameter, toRow } from "../to-values.ts";
import { type AnswerTimeout, createAnswerTimeout, refuseSilence } from "./answer-timeout.ts";

export type Answer<R> = {
  rows: R[];
  /** Such as `SELECT`. */
  command: string;
  /** Rows that were read or changed. */
  count: number;
};

/** The caller names the columns of its own statement. */
type Query = <R = unknown>(text: string, values?: readonly unknown[]) => Promise<Answer<R>>;

/**
 * The connections of one process. Failures are converted by `toStoreError`. A database that does
 * not answer, such as one behind a broken network, is `unavailable` after some seconds.
 */
export type ConnectionPool = {
  /** Runs one statement on any connection. */
  query: Query;
  /** Takes a connection out of the pool. */
  reserve(): Promise<PooledConnection>;
  usage(): PoolUsage;
  close(): Promise<void>;
};

export type PoolUsage = Omit<DatabaseStatus["connections"], "max">;

/** The client's reports of each connection. The error is null if it was opened, or closed as asked. */
export type ConnectionEvents = {
  onconnect?: (err: Error | null) => void;
  onclose?: (err: Error | null) => void;
};

export type PooledConnection = {
  query: Query;
  /** Runs one or more statements, such as a migration, that may take any time. */
  run(text: string): Promise<void>;
  /** Gives the connection back, or closes it if it does not answer. */
  release(): void;
};

type ConnectionPoolDeps = {
  connect(events: ConnectionEvents): SQL;
  /** Of all pools of the process. */
  answerTimeout?: AnswerTimeout;
  /** Time for the statements in flight when the pool is closed. */
  closeMsMax?: number;
};

export function createConnectionPool(deps: ConnectionPoolDeps): ConnectionPool {
  const { connect, answerTimeout = createAnswerTimeout(), closeMsMax = 5_000 } = deps;
  const usage = { open: 0, busy: 0, waiting: 0, opened: 0 };
  /** Connections that are open; those that never were are reported as closed too. */
  const events: ConnectionEvents = {
    onconnect(err) {
      if (err !== null) return;
      usage.open += 1;
      usage.opened += 1;
    },
    onclose() {
      usage.open = Math.max(0, usage.open - 1);
    },
  };
  let current = connect(events);

  /**
   * Connections through a broken network stay silent for a quarter of an hour. So later statements
   * get new ones.
   */
  function replace(silent: SQL): void {
    if (silent !== current) return;
    current = connect(events);
    void close(silent);
  }

  function close(pool: SQL): Promise<void> {
    // Without a limit, it would wait for a statement that is never answered.
    return pool.close({ timeout: answerTimeout.isLost() ? 0 : closeMsMax / 1000 });
  }

  return {
    async query<R>(text: string, values: readonly unknown[] = []) {
      const pool = current;
      usage.busy += 1;
      try {
        const answer = pool.unsafe(text, values.map(toParameter));
        return toAnswer<R>(await answerTimeout.wait(answer, () => replace(pool)));
      } finally {
        usage.busy -= 1;
      }
    },
    async reserve() {
      usage.waiting += 1;
      try {
        const reserving = current.reserve();
        const reserved = await answerTimeout.wait(reserving, () => {
          // Its caller is gone, so nothing else would give it back.
          reserving.then((late) => late.release()).catch(() => {});
        });
        usage.busy += 1;
        return toPooled(reserved, answerTimeout, () => {
          usage.busy -= 1;
        });
      } finally {
        usage.waiting -= 1;
      }
    },
    usage: () => ({ ...usage }),
    close: () => close(current),
  };
}

function toPooled(
  reserved: ReservedSQL,
  answerTimeout: AnswerTimeout,
  onRelease: () => void,
): PooledConnection {
  let isSilent = false;
  return {
    async query<R>(text: string, values: readonly unknown[] = []) {
      // Its rollback would wait as long again.
      if (isSilent) throw refuseSilence();
      const answer = reserved.unsafe(text, values.map(toParameter));
      const onSilence = () => {
        isSilent = true;
      };
      return toAnswer<R>(await answerTimeout.wait(answer, onSilence));
    },
    async run(text) {
      try {
        await reserved.unsafe(text);
      } catch (err) {
        throw toStoreError(err);
      }
    },
    release() {
      onRelease();
      // The client would keep it out of the pool until the answer arrives.
      if (isSilent) void reserved.close({ timeout: 0 });
      reserved.release();
    },
  };
}

type BunRows = Record<string, unknown>[] & { command: string; count: number | null };

function toAnswer<R>(rows: BunRows): Answer<R> {
  return { rows: rows.map((row) => toRow<R>(row)), command: rows.command, count: rows.count ?? 0 };
}
