import { findCaller } from "../identity/find-caller.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../identity/local-admin.ts";
import type { Job } from "../jobs/create-jobs.ts";
import { runApprovedCalls } from "../operations/pending/run-approved-calls.ts";
import type { Operations } from "../operations/ports.ts";
import type { Store } from "../store/store.ts";

type Deps = {
  store: Pick<Store, "db" | "reads">;
  operations: Pick<Operations, "calls">;
  now(): number;
};

/** Runs approved calls that need no repeat. */
export function createApprovedJob({ store, operations, now }: Deps): Job {
  const { db, reads } = store;
  const retries = new Map<string, number>();
  return {
    name: "run-approved-calls",
    everyMs: 2_000,
    runsAtStart: true,
    run: (isOver) =>
      runApprovedCalls(
        {
          db,
          calls: operations.calls,
          now,
          retries,
          findCaller: async (id) =>
            id === LOCAL_ADMIN_ID ? localAdmin : await findCaller({ reads }, id),
        },
        new AbortController().signal,
        isOver,
      ),
  };
}
