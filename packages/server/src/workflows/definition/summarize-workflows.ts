import { toTimeText } from "@hub/contract/time.ts";
import type { Workflow } from "@hub/contract/workflow.ts";
import {
  recentRunsMax,
  type WorkflowRecentRun,
  type WorkflowSummary,
  type WorkflowTicks,
} from "@hub/contract/workflow-summary.ts";
import type { Caller } from "../../caller.ts";
import type { Page } from "../../lib/input/page.ts";
import { listRecentRuns, type RecentRun } from "../../store/workflow-runs/recent-runs.ts";
import { findNextScheduled } from "../../store/workflow-runs/scheduled-runs-table.ts";
import { listLastRuns } from "../../store/workflow-runs/workflow-runs-table.ts";
import { listTriggersOf, type TriggerMark } from "../../store/workflows/workflow-triggers.ts";
import { describeSchedule } from "../explain/describe-schedule.ts";
import { toRun } from "../runs/show-run.ts";
import { createCronTimes } from "../triggers/cron/cron-times.ts";
import { findHubTimezone } from "../triggers/hub-timezone.ts";
import { createPace } from "../validation/validation-pace.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { listWorkflows, type WorkflowListInput } from "./list-workflows.ts";
import { loadWorkflow } from "./workflow-access.ts";

type Deps = Pick<DefinitionDeps, "store" | "now">;

/** Runs among which the live ones are looked for: dry runs of an author take their places. */
const recentRunsLooked = 2 * recentRunsMax;

/** One page of the workflows that the caller sees, with what starts them and how their last run went. */
export async function summarizeWorkflows(
  { store, now }: Deps,
  caller: Caller,
  input: WorkflowListInput,
): Promise<Page<WorkflowSummary>> {
  const { items, next } = await listWorkflows({ store }, caller, input);
  const ids = items.map(({ id }) => id);
  const triggers = Map.groupBy(await listTriggersOf(store.db, ids), (one) => one.workflowId);
  const runs = new Map((await listLastRuns(store.db, ids)).map((run) => [run.workflowId, run]));
  const newest = await listRecentRuns(store.db, ids, recentRunsLooked);
  const recent = Map.groupBy(newest, (one) => one.workflowId);
  const scheduled = await findNextScheduled(store.db, ids);
  const pace = createPace();
  const summaries: WorkflowSummary[] = [];
  for (const workflow of items) {
    await pace();
    const reads = workflow.access !== "see";
    const own = triggers.get(workflow.id) ?? [];
    const run = runs.get(workflow.id);
    const at = reads ? findNextStart(workflow, own, scheduled.get(workflow.id), now()) : null;
    summaries.push({
      ...workflow,
      triggers: reads
        ? own.map(({ id, type, schedule, timezone }) => ({
            id,
            type,
            schedule,
            timezone,
            words: schedule === null ? null : describeSchedule(schedule),
          }))
        : null,
      last_run: run === undefined ? null : toRun(run, workflow.access === "manage"),
      recent_runs: (recent.get(workflow.id) ?? [])
        .filter(({ mode, state, scheduledAt }) => {
          return mode === "live" && (state !== "queued" || scheduledAt === null);
        })
        .slice(0, recentRunsMax)
        .map(toRecentRun),
      next_run_at: at === null ? null : toTimeText(at),
    });
  }
  return { items: summaries, next };
}

function toRecentRun({ state, startedAt, endedAt, ...run }: RecentRun): WorkflowRecentRun {
  return {
    state,
    at: toTimeText(startedAt ?? run.scheduledAt ?? run.createdAt),
    took_ms: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
  };
}

function findNextStart(
  { enabled, has_active_owner: hasOwner }: Workflow,
  triggers: readonly TriggerMark[],
  scheduledAt: number | undefined,
  at: number,
): number | null {
  const ticks = triggers.flatMap(({ schedule, timezone }) => {
    if (schedule === null || !enabled || !hasOwner) return [];
    return createCronTimes(schedule, timezone ?? findHubTimezone()).findNext(at) ?? [];
  });
  const times = scheduledAt === undefined ? ticks : [...ticks, scheduledAt];
  return times.length === 0 ? null : Math.min(...times);
}

const ticksShown = 10;

/** The next ticks of the published cron triggers of a workflow. For its owner and admins. */
export async function listTicks(
  { store, now }: Deps,
  caller: Caller,
  id: string,
): Promise<WorkflowTicks[]> {
  await loadWorkflow(store.db, caller, id, "manage");
  const pace = createPace();
  const list: WorkflowTicks[] = [];
  for (const trigger of await listTriggersOf(store.db, [id])) {
    const { schedule } = trigger;
    if (schedule === null) continue;
    const timezone = trigger.timezone ?? findHubTimezone();
    const times = createCronTimes(schedule, timezone);
    const ticks: string[] = [];
    for (let at = times.findNext(now()); at !== null && ticks.length < ticksShown; ) {
      await pace();
      ticks.push(toTimeText(at));
      at = times.findNext(at);
    }
    const words = describeSchedule(schedule);
    list.push({ trigger_id: trigger.id, schedule, timezone, words, ticks });
  }
  return list;
}
