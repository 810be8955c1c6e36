import { toJsonText } from "@hub/connector";
import type { Run } from "@hub/contract/run.ts";
import type { RunFilterInput } from "@hub/server/services/runs/list-recorded-runs.ts";
import type { ServiceDeps } from "@hub/server/services/service-deps.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import { isJsonWanted } from "../text/print-answer.ts";
import { toPrintable } from "../text/table.ts";

const pollEveryMs = 500;
/** A run gets its id when its call begins, and may be written up to this much later. */
const writeDelayMsMax = 5_000;
const runsPerPage = 1000;
const runsShownFirst = 10;

/** A filter as it is typed: a row by id, first characters or label, a user by e-mail. */
export type TypedRunFilter = Omit<RunFilterInput, "rowId" | "userId" | "causeId"> & {
  row?: string;
  user?: string;
  /** Id of a message or script. */
  cause?: string;
};

export async function toRunFilter(
  lookups: Lookups,
  { row, user, cause, ...filter }: TypedRunFilter,
): Promise<RunFilterInput> {
  return {
    ...filter,
    ...(row !== undefined && { rowId: await lookups.findRecordedRowId(row) }),
    ...(cause !== undefined && { causeId: cause }),
    ...(user !== undefined && { userId: (await lookups.findCaller(user)).id }),
  };
}

/**
 * Prints runs as they end, oldest first, until SIGINT or SIGTERM. A run in progress is printed when
 * its outcome is known.
 */
export async function followRuns(
  cli: Cli,
  command: Command,
  filter: TypedRunFilter,
  toLine: (run: Run) => string,
): Promise<void> {
  const { hub } = await cli.openHub(command, "cli");
  const ended = waitForEnd();
  // The status filter applies when printing: a run in progress does not have its final status yet.
  const { status, limit = runsShownFirst, before: _, ...typed } = filter;
  const isWanted = (run: Run) => status === undefined || run.status === status;
  const isJson = isJsonWanted(command);
  const printRun = (run: Run) => {
    cli.terminal.stdout.write(`${isJson ? toJsonText(run) : toPrintable(toLine(run))}\n`);
  };
  try {
    const { services } = hub;
    const { createLookups } = await import("../look-ups/look-up-names.ts");
    const { listRuns } = await import("@hub/server/services/runs/list-recorded-runs.ts");
    const rest = await toRunFilter(createLookups(services.store), typed);
    let runs = (await listRuns(services, { ...rest, limit: runsPerPage })).reverse();
    let seen = new Set<string>();
    // Runs older than the first page are never read again.
    let after = runs.length < runsPerPage ? undefined : runs[0]?.id;
    for (const run of runs.filter(isEnded).filter(isWanted).slice(-limit)) printRun(run);
    for (const run of runs.filter(isEnded)) seen.add(run.id);
    // The reader may close the pipe: `hub runs --follow | head`.
    while (!ended.isOver() && cli.terminal.stdout.writable) {
      for (const run of runs.filter(isEnded)) {
        if (!seen.has(run.id) && isWanted(run)) printRun(run);
      }
      seen = new Set(runs.filter(isEnded).map((run) => run.id));
      after = findComplete(runs, services.now())?.id ?? after;
      await ended.waitAtMost(pollEveryMs);
      runs = await listSince(services, { ...rest, ...(after !== undefined && { after }) });
    }
  } finally {
    ended.stop();
    await hub.close();
  }
}

function isEnded(run: Run): boolean {
  return run.status !== "running";
}

/**
 * Returns the last run that has only final runs before it, none in progress or not yet written.
 * The next poll starts after it.
 */
function findComplete(runs: readonly Run[], now: number): Run | undefined {
  const completeBefore = now - writeDelayMsMax;
  const open = runs.findIndex(
    (run) => run.status === "running" || Date.parse(run.started_at) > completeBefore,
  );
  return (open < 0 ? runs : runs.slice(0, open)).at(-1);
}

/** All runs of a filter, oldest first, page by page. */
async function listSince(services: ServiceDeps, filter: RunFilterInput): Promise<Run[]> {
  const { listRuns } = await import("@hub/server/services/runs/list-recorded-runs.ts");
  const runs: Run[] = [];
  for (let before: string | undefined; ; before = runs.at(-1)?.id) {
    const page = await listRuns(services, {
      ...filter,
      limit: runsPerPage,
      ...(before !== undefined && { before }),
    });
    runs.push(...page);
    if (page.length < runsPerPage) return runs.reverse();
  }
}
