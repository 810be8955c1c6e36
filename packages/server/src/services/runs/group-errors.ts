import type { CallErrors, ErrorGroup } from "@hub/contract/call-figures.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import { HUB_CALLER_ID } from "../../identity/local-admin.ts";
import { cutLine } from "../../lib/text/cut-line.ts";
import { toIdMs } from "../../store/database/timed-ids.ts";
import { type FailedRun, messageCharsRead, readFailedRuns } from "../../store/runs/run-figures.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { type ErrorPattern, readErrorPattern } from "./error-pattern.ts";
import { loadEmails } from "./present-run.ts";
import { type CallFilter, type CallsOf, toCallScan } from "./scan-of-caller.ts";

const groupsMax = 50;
/** Users of a group that are named. */
const usersMax = 3;
const patternsKept = 1_000;

type Group = {
  newest: FailedRun;
  oldestId: string;
  calls: number;
  users: Set<string>;
  shared: string | null;
};

/** The newest calls that failed and match a filter, by what failed and why. Those of all users are for admins. */
export async function groupErrors(
  { store: { db } }: Pick<ServiceDeps, "store">,
  caller: Caller,
  of: CallsOf,
  filter: CallFilter,
): Promise<CallErrors> {
  const groups = new Map<string, Group>();
  const readPattern = createPatternReader();
  const scan = toCallScan(caller, of, filter);
  const stoppedAt =
    scan === null
      ? null
      : await readFailedRuns(db, scan, (run) => addRun(groups, run, readPattern));
  const all = [...groups.values()];
  const shown = all.toSorted((one, other) => other.calls - one.calls).slice(0, groupsMax);
  const emails = await loadEmails(
    db,
    shown.flatMap(listNamedUsers).map((userId) => ({ userId })),
  );
  return {
    counted_from: stoppedAt === null ? null : toTimeText(stoppedAt),
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    groups: shown.map((group) => toGroup(group, emails)),
    total: all.length,
  };
}

/** Most failures repeat: a message is read once, as long as few differ. */
function createPatternReader(): typeof readErrorPattern {
  const known = new Map<string, ErrorPattern>();
  return (message) => {
    const found = known.get(message);
    if (found !== undefined) return found;
    const pattern = readErrorPattern(message);
    if (known.size < patternsKept) known.set(message, pattern);
    return pattern;
  };
}

/** Runs come newest first. */
function addRun(
  groups: Map<string, Group>,
  run: FailedRun,
  readPattern: typeof readErrorPattern,
): void {
  const { pattern, shared } = readPattern(run.error_msg ?? "");
  const key = JSON.stringify([run.connector_id, run.operation_key, run.error_code, pattern]);
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, {
      newest: run,
      oldestId: run.id,
      calls: 1,
      users: new Set([run.user_id]),
      shared,
    });
    return;
  }
  group.calls += 1;
  group.oldestId = run.id;
  group.users.add(run.user_id);
}

function listNamedUsers({ users }: Group): string[] {
  return [...users].slice(0, usersMax);
}

/** The hub itself is no user: it checks rows. */
function toUserName(id: string, emails: ReadonlyMap<string, string>): string {
  return emails.get(id) ?? (id === HUB_CALLER_ID ? "The hub" : "Deleted user");
}

function toGroup(group: Group, emails: ReadonlyMap<string, string>): ErrorGroup {
  const { newest, oldestId, calls, users, shared } = group;
  const { connector_id: row, operation_key: operation, error_code } = newest;
  // The scan has only runs with a code.
  const code = error_code ?? "";
  return {
    connector_id: row,
    row_label: newest.row_label,
    operation_key: operation,
    error_code: code,
    message: newest.error_msg === null ? null : cutLine(newest.error_msg, messageCharsRead),
    calls,
    first_at: toTimeText(toIdMs(oldestId)),
    last_at: toTimeText(toIdMs(newest.id)),
    users: listNamedUsers(group).map((id) => toUserName(id, emails)),
    users_total: users.size,
    example: newest.id,
    filter: {
      ...(row !== null && { row }),
      operation,
      code,
      ...(shared !== null && { error: shared }),
    },
  };
}
