import type { Caller } from "../../caller.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { HUB_CALLER_ID } from "../../identity/local-admin.ts";
import type { IsChange } from "../../operations/questions/watch-row-health.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { listUnchecked, recordCheck } from "../../store/runs/row-activity.ts";
import { findOutcome, healthKey } from "../../store/runs/run-outcomes.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findRowState } from "./states/find-row-state.ts";
import type { KnownRow } from "./states/known-row.ts";
import { findKnown } from "./states/read-row-states.ts";

const dayMs = 24 * 3_600_000;
const minAgeMs = 5 * 60_000;
/** Looked at in one run. The longest unchecked come first, so all have their turn. */
const rowsPerRun = 100;
const checksAtOnce = 4;
/** Of the rows of one outside host, which may be thousands. */
const checksPerHost = 2;

/** Who makes the checks of a timer: no person. Value tokens in their records open for no user. */
const hubCaller: Caller = {
  userId: HUB_CALLER_ID,
  email: "hub",
  name: "Hub",
  role: "admin",
  tags: new Set(),
  tokenId: null,
};

type CheckDeps = Pick<ServiceDeps, "store" | "registry" | "operations" | "now">;

/**
 * Checks rows that were called in the last day and not checked for five minutes, if their connector has a health
 * check. Only a check that changes the state of its row is recorded.
 */
export async function checkCalledRows(
  deps: CheckDeps,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { store, now } = deps;
  const at = now();
  const due = await listUnchecked(store.db, {
    now: at,
    calledSince: at - dayMs,
    checkedBefore: at - minAgeMs,
    limit: rowsPerRun,
  });
  if (due.length === 0) return;
  const records = await listRows(store.db, { ids: due.map(({ rowId }) => rowId) });
  const queues = toQueues(await findKnown(deps, records));
  const work = async () => {
    for (let queue = queues.pop(); queue !== undefined; queue = queues.pop()) {
      for (const row of queue) {
        if (isOver()) return;
        // Recorded first, so that a row that breaks its check does not hold up the others.
        await recordCheck(store.db, row.record.id, now());
        if (isCheckable(deps, row)) await checkRow(deps, row, signal);
      }
    }
  };
  // If one check fails by a fault of the hub, the others end before the job does.
  const ended = await Promise.allSettled(Array.from({ length: checksAtOnce }, work));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Rows that are checked one after the other. Those of a host are in as many queues as it gets checks at once. */
function toQueues(rows: readonly KnownRow[]): KnownRow[][] {
  return [...Map.groupBy(rows, findHost).values()].flatMap((ofHost) =>
    Array.from({ length: Math.min(checksPerHost, ofHost.length) }, (_, first) =>
      ofHost.filter((_, index) => index % checksPerHost === first),
    ),
  );
}

/** The host that a row asks; of rows without an address, the system that its connector is for. */
function findHost({ record }: KnownRow): string {
  const texts = toPlainTexts(record);
  const url = URL.parse(texts.get("base_url") ?? texts.get("url") ?? "");
  return url?.host || record.connectorKey;
}

function isCheckable({ registry }: CheckDeps, { record, state }: KnownRow): boolean {
  if (state === "disabled" || state === "needs_setup") return false;
  return registry.find(record.connectorKey)?.health !== undefined;
}

async function checkRow(
  { operations }: CheckDeps,
  known: KnownRow,
  signal: AbortSignal,
): Promise<void> {
  const origin = { source: "test", ip: null, userAgent: null } as const;
  const call = { caller: hubCaller, origin, signal };
  await operations.rows.watchHealth(call, known.record.id, toChange(known));
}

/** Whether the state of the row would be another one after a check with this outcome. */
function toChange(known: KnownRow): IsChange {
  return (outcome) => {
    const kind = findOutcome({
      operation_key: healthKey,
      status: outcome.status,
      error_code: outcome.errorCode,
      http_status: outcome.httpStatus,
      unreached: outcome.isUnreached === true ? 1 : null,
      health: null,
    });
    const { activity } = known;
    if (kind === null || activity === null) return false;
    const { endedAt: at } = outcome;
    const after = {
      ...activity,
      workedAt: kind === "worked" ? at : activity.workedAt,
      outcome: { kind, at, since: at, run: "", isCheck: true },
    };
    return findRowState({ ...known, activity: after }) !== known.state;
  };
}
