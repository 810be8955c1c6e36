import type { HotReads } from "./hot-reads.ts";
import type { RunRecorder } from "./run-recorder.ts";
import type { Db } from "./tables.ts";

type OpenStoreDeps = {
  /** Made with mode 0700 when it is not there. */
  dataDir: string;
  log?: { info(fields: Record<string, unknown>, message: string): void };
};

export type Store = {
  db: Db;
  reads: HotReads;
  runs: RunRecorder;
  /** All or nothing. Inside, use only the `trx` that is given: `db` and `runs` would wait for it forever, so they refuse. */
  transaction<T>(change: (trx: Db) => Promise<T>): Promise<T>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
};

/** Throws `bad_configuration` when the folder or the database cannot be used, or a newer hub made it. */
export declare function openStore(deps: OpenStoreDeps): Promise<Store>;
