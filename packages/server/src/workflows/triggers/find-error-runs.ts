import { type Json, parseJson } from "@hub/connector";
import type { Db } from "../../store/database/database.ts";
import { readStarterIds } from "../../store/workflow-runs/read-starter-ids.ts";
import type { ClaimedRun } from "../../store/workflow-runs/workflow-run-records.ts";
import { readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import { type ErrorTrigger, listErrorTriggers } from "../../store/workflows/workflow-triggers.ts";
import type { RunRequest } from "../engine/accept/prepare-run.ts";
import { passOnContext } from "../engine/accept/run-context.ts";
import { isUnavailable } from "../engine/claim/wait-for-database.ts";
import type { Plans } from "../engine/plan.ts";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";
import type { RunFailure } from "../engine/walk/run-failure.ts";
import { openWebhookPayload } from "../webhooks/body/webhook-payload.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";
import { findFiredTrigger } from "./find-fired-trigger.ts";

/** How many error triggers may lead to one another. */
export const errorDepthMax = 3;
/** Runs that one failure starts. */
const runsMax = 200;
/** The event is stored once for each run that it starts. */
const eventCharsMax = 256 * 1024;
/** Events of all these runs together. */
const allCharsMax = 4 * 1024 * 1024;

type ErrorDeps = {
  db: Db;
  directory: WorkflowDirectory;
  plans: Pick<Plans, "load">;
  logFailure(err: unknown, subject: { runId: string | null; nodeId: string | null }): void;
};

/** The runs of error triggers that a failed run starts. They are stored in the commit of the failure. */
export async function findErrorRuns(
  deps: ErrorDeps,
  run: ClaimedRun,
  failure: RunFailure,
): Promise<RunRequest[]> {
  const depth = run.errorDepth + 1;
  if (depth > errorDepthMax) return [];
  const source = await deps.directory.find(run.workflowId);
  if (source === null) return [];
  const { severity } = failure;
  const triggers = await listErrorTriggers(deps.db, {
    workflowId: source.id,
    ownerId: source.ownerId,
    severity,
    limit: runsMax,
  });
  if (triggers.length === 0) return [];
  const charsMax = Math.min(eventCharsMax, Math.floor(allCharsMax / triggers.length));
  const payload = {
    run_id: run.id,
    workflow_id: run.workflowId,
    error: { message: failure.message, code: failure.code },
    node_id: failure.nodeId,
    severity,
    depth,
    event: await readEvent(deps.db, run, charsMax),
  };
  const found = await Promise.all(
    triggers.map((trigger) => toRequest(deps, run, trigger, payload)),
  );
  return found.filter((request) => request !== null);
}

async function toRequest(
  deps: ErrorDeps,
  run: ClaimedRun,
  address: ErrorTrigger,
  payload: Record<string, Json>,
): Promise<RunRequest | null> {
  try {
    const fired = await findFiredTrigger(deps, "error", address);
    if (fired === null) return null;
    // A value token opens for its own user alone, so it says nothing to another one.
    const isOwn = fired.workflow.ownerId === run.ownerId;
    return {
      ...fired,
      payload: isOwn ? payload : hideTokens(payload),
      source: run.workflowId,
      startedBy: `error ${fired.trigger.id}`,
      starterIds: readStarterIds(run),
      parentRunId: run.id,
      errorDepth: run.errorDepth + 1,
      chainDepth: run.chainDepth,
      ...passOnContext(run),
    };
  } catch (err) {
    if (isUnavailable(err)) throw err;
    // A broken workflow must not stop the others, nor the end of the failed run.
    deps.logFailure(err, { runId: run.id, nodeId: null });
    return null;
  }
}

/** The event of a run, as its templates saw it. One that is too large is left out, but for its origin. */
async function readEvent(db: Db, run: ClaimedRun, charsMax: number): Promise<Json> {
  if (run.event.length > charsMax) {
    return { Type: run.triggerType, TriggerID: run.triggerId, Payload: null, truncated: true };
  }
  const event = parseJson(run.event);
  if (typeof event !== "object" || event === null || Array.isArray(event)) return null;
  if (run.triggerType !== "webhook") return event;
  const raw = (await readRunEvent(db, run.id))?.raw ?? null;
  if (raw === null) return event;
  // `raw` and `body` hold the same bytes, and one of them may be in base64.
  if (raw.byteLength * 2.4 > charsMax) return { ...event, truncated: true };
  // Safe: `prepareRun` wrote it.
  const { Payload } = event as { Payload: Record<string, Json> };
  return { ...event, Payload: openWebhookPayload(Payload, raw) };
}
