import type { Json } from "@hub/connector";
import type { SpaceGuard } from "../../../lib/files/space-guard.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import type { RowTokens } from "../../../secrets/value-tokens/sealer.ts";
import { readStarterIds } from "../../../store/workflow-runs/read-starter-ids.ts";
import type { AcceptWrite, ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import { findScheduleTime } from "../../triggers/find-schedule-time.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { ChildRequest } from "../child-runs/child-run.ts";
import { type OwnerDeps, requestChild } from "../child-runs/run-links.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import type { WaitForDatabase } from "../claim/wait-for-database.ts";
import { readTrialEnd, trialScheduleWarning } from "../limits/draft-run-limit.ts";
import { type RunStorage, toRunBytes } from "../limits/run-storage.ts";
import type { Plan, Plans } from "../plan.ts";
import { sealEvent } from "../secrets/seal-event.ts";
import type { SealLarge } from "../secrets/seal-large.ts";
import type { RunFailure } from "../walk/run-failure.ts";
import { prepareRun, type RunRequest } from "./prepare-run.ts";
import { passOnContext, readRunContext } from "./run-context.ts";

/** Makes the writes of new runs: those that are asked for, and those that other runs start. */
export type RunStarts = {
  /** A run that a person, a model or a trigger asks for. */
  seal(request: RunRequest): Promise<AcceptWrite>;
  /** The runs of error triggers that follow a failed run. None follow dry runs, runs of one node, trials and quiet runs. */
  listErrorRuns(run: ClaimedRun, failure: RunFailure): Promise<AcceptWrite[]>;
  /** The run that the output of a node schedules, or a warning. */
  findScheduled(
    run: ClaimedRun,
    of: { workflow: KnownWorkflow; plan: Plan },
    output: Json,
  ): { run: AcceptWrite } | { warning: string } | null;
  /** The run of another workflow that a node asks for. Throws if the owner of `run` may not start it. */
  prepareChild(run: ClaimedRun, child: ChildRequest): Promise<AcceptWrite>;
};

type StartDeps = OwnerDeps & {
  plans: Plans;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
  findErrorRuns(run: ClaimedRun, failure: RunFailure): Promise<RunRequest[]>;
  createRunId(): string;
  now(): number;
  /** The process that begins a run of this owner at once, or null if it has no capacity. */
  findProcess(ownerId: string): string | null;
  waitForDatabase: WaitForDatabase;
  space: SpaceGuard;
  storage: RunStorage;
  logFailure(err: unknown, subject: { runId: string | null; nodeId: string | null }): void;
};

export function createRunStarts(deps: StartDeps): RunStarts {
  const { now, waitForDatabase } = deps;

  const toWrite = (request: RunRequest): AcceptWrite => ({
    ...prepareRun(deps, request),
    claimBy: deps.findProcess(request.workflow.ownerId),
  });
  const seal = async (request: RunRequest) => toWrite(await sealEvent(deps, request));

  return {
    seal,
    async listErrorRuns(run, failure) {
      const starts: AcceptWrite[] = [];
      if (run.mode !== "live" || readTrialEnd(run) !== undefined) return starts;
      if (readRunContext(run.context).isQuiet) return starts;
      for (const request of await waitForDatabase(() => deps.findErrorRuns(run, failure))) {
        try {
          starts.push(await waitForDatabase(() => seal(request)));
        } catch (err) {
          if (err instanceof LeaseLostError) throw err;
          // Another workflow must not stop the end of this run.
          deps.logFailure(err, { runId: run.id, nodeId: null });
        }
      }
      return starts;
    },
    findScheduled(run, { workflow, plan }, output) {
      const trigger = plan.body.triggers.find(({ type }) => type === "schedule_at");
      if (trigger === undefined) return null;
      const { chainDepth } = run;
      const time = findScheduleTime(output, { now: now(), chainDepth });
      if (time === null || "warning" in time) return time;
      if (readTrialEnd(run) !== undefined) return { warning: trialScheduleWarning };
      if (run.mode !== "live") {
        const at = new Date(time.at).toISOString();
        return { warning: `A live run would schedule a run for ${at}.` };
      }
      const scheduled = toWrite({
        workflow,
        plan,
        trigger,
        version: run.version,
        payload: output,
        startedBy: `schedule ${trigger.id}`,
        starterIds: readStarterIds(run),
        scheduledAt: time.at,
        chainDepth: chainDepth + 1,
        ...passOnContext(run),
        // Otherwise workflows that schedule runs and start from each other's errors would never end.
        errorDepth: run.errorDepth,
      });
      return { run: scheduled };
    },
    prepareChild: (run, child) =>
      waitForDatabase(async () => {
        deps.space.requireSpace();
        const write = toWrite(await requestChild(deps, run, child));
        deps.storage.require(write.run, toRunBytes(write.run));
        return write;
      }),
  };
}
