import { toConfigId } from "../bridges/mcp/mcp-context.ts";
import type { SessionPool } from "../bridges/mcp/sessions/session-pool.ts";
import { toOutboundPolicy } from "../connectors/rows/open-row-config.ts";
import type { Row, RowDirectory } from "../connectors/rows/row-directory.ts";
import { HubError } from "../errors.ts";
import { hubActor, localAdmin } from "../identity/local-admin.ts";
import type { Job } from "../jobs/create-jobs.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { isRowOn } from "../operations/admission/list-form.ts";
import type { ServiceDeps } from "../services/service-deps.ts";
import { listRowsToDiscover } from "../store/rows/row-discoveries-table.ts";
import type { JobLists } from "./start-jobs.ts";

export type BridgeJobDeps = {
  services: ServiceDeps;
  log: Log;
  now: () => number;
  /** Rows whose outside system said that its operations have changed. The jobs empty it. */
  changedRows: Set<string>;
  sessions: Pick<SessionPool, "listRows" | "endRow">;
  directory: Pick<RowDirectory, "current">;
  outboundAllow: readonly string[];
};

const tenSecondsMs = 10_000;

const halfMinuteMs = 30_000;
const tenMinutesMs = 10 * 60_000;
const maxAgeMs = 6 * 60 * 60_000;
/** The oldest first, so that all are served. */
const rowsPerRun = 50;

/**
 * Asks outside systems again for their operations: when they say so, and every six hours. Ends the
 * sessions and programs of rows that were changed or can no longer be called, and removed accounts of users where they signed in.
 */
export function createBridgeJobs(deps: BridgeJobDeps): JobLists {
  const { services, now, changedRows } = deps;
  const changed: Job = {
    name: "discover-changed-rows",
    everyMs: halfMinuteMs,
    runsAtStart: false,
    async run(isOver = () => false) {
      for (const rowId of changedRows) {
        if (isOver()) return;
        changedRows.delete(rowId);
        await rediscover(deps, rowId);
      }
    },
  };
  const old: Job = {
    name: "discover-old-rows",
    everyMs: tenMinutesMs,
    runsAtStart: false,
    async run(isOver = () => false) {
      const due = { before: now() - maxAgeMs, limit: rowsPerRun };
      for (const rowId of await listRowsToDiscover(services.store.db, due)) {
        if (isOver()) return;
        await rediscover(deps, rowId);
      }
    },
  };
  const ended: Job = {
    name: "end-accounts",
    everyMs: tenSecondsMs,
    runsAtStart: true,
    async run(isOver) {
      // Loaded on first use.
      const { endAccounts } = await import("../services/accounts/end-accounts.ts");
      await endAccounts({ ...services, now }, isOver);
    },
  };
  return { own: [changed, createSessionJob(deps)], common: [old, ended] };
}

/**
 * Without it, the program of a row that was disabled or changed would run until it is idle, with its
 * former secrets.
 */
export function createSessionJob({
  sessions,
  directory,
  outboundAllow,
}: Pick<BridgeJobDeps, "sessions" | "directory" | "outboundAllow">): Job {
  return {
    name: "end-outdated-sessions",
    everyMs: tenSecondsMs,
    runsAtStart: false,
    async run() {
      const open = sessions.listRows();
      if (open.length === 0) return;
      const present = await directory.current();
      for (const rowId of open) {
        const row = present.find(rowId);
        const isUsable = row !== null && isRowOn(present, row);
        sessions.endRow(rowId, isUsable ? findConfigId(row, outboundAllow) : null);
      }
    },
  };
}

/** Null if the configuration cannot be opened: then no call can use it. */
function findConfigId(row: Row, outboundAllow: readonly string[]): string | null {
  try {
    const config = row.config();
    const outbound = toOutboundPolicy(config, outboundAllow);
    const { connectionId } = row;
    return toConfigId({ config: config.values, outbound, connectionId });
  } catch (thrown) {
    if (thrown instanceof HubError) return null;
    throw thrown;
  }
}

/** A failure is stored at the row, where an admin sees it. */
async function rediscover({ services, log }: BridgeJobDeps, rowId: string): Promise<void> {
  // Loaded on first use.
  const { discoverRow } = await import("../services/rows/discovery/discover-row.ts");
  const ctx = { caller: localAdmin, signal: new AbortController().signal };
  try {
    await discoverRow(services, hubActor, ctx, rowId);
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    log.warn({ row: rowId, err: thrown }, "The operations of a row could not be discovered");
  }
}
