import { findAdmitted } from "../identity/find-admitted.ts";
import { findCaller } from "../identity/find-caller.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../identity/local-admin.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { Job } from "../jobs/create-jobs.ts";
import { runApprovedCalls } from "../operations/pending/run-approved-calls.ts";
import type { Operations } from "../operations/ports.ts";
import type { Store } from "../store/store.ts";

type Deps = {
  store: Pick<Store, "db" | "reads">;
  operations: Pick<Operations, "calls">;
  /** Null if users are not followed at a provider. */
  watch: Pick<ProviderWatch, "admit"> | null;
  now(): number;
};

/** Runs approved calls that need no repeat. */
export function createApprovedJob({ store, operations, watch, now }: Deps): Job {
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
            id === LOCAL_ADMIN_ID
              ? localAdmin
              : await findAdmitted(watch, () => findCaller({ reads }, id)),
        },
        new AbortController().signal,
        isOver,
      ),
  };
}
