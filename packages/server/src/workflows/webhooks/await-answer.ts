import { type Json, parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type { Db } from "../../store/database.ts";
import type { WorkflowRunRecord } from "../../store/workflow-run-records.ts";
import { findStep, findWorkflowRun, readRunAnswer } from "../../store/workflow-runs.ts";
import { hideTokens } from "../engine/hide-tokens.ts";
import type { RunWatch } from "../engine/run-watch.ts";
import type { WebhookAnswer } from "../engine/webhook-answer.ts";
import type { WebhookTrigger } from "./find-webhook-trigger.ts";

type AwaitDeps = { db: Db; watch: RunWatch; timers: Pick<Timers, "after"> };

const waitMsMax = 30_000;

/**
 * Waits for what a run answers to the request that started it: the answer of a `webhook_respond` node,
 * or the last output of the run. Throws `timeout` after 30 seconds; the run goes on.
 */
export async function awaitAnswer(
  deps: AwaitDeps,
  { runId, mode }: { runId: string; mode: WebhookTrigger["respond_mode"] },
): Promise<WebhookAnswer> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<"time_is_up">();
  const clear = deps.timers.after(waitMsMax, () => resolve("time_is_up"));
  try {
    for (;;) {
      const { promise: changed, resolve: noteChange } = Promise.withResolvers<void>();
      const unsubscribe = deps.watch.subscribe(runId, noteChange);
      try {
        const answer = await findAnswer(deps, runId, mode);
        if (answer !== null) return answer;
        if ((await Promise.race([changed, timeIsUp])) === "time_is_up") throw refuseWait(runId);
      } finally {
        unsubscribe();
      }
    }
  } finally {
    clear();
  }
}

async function findAnswer(
  deps: AwaitDeps,
  runId: string,
  mode: WebhookTrigger["respond_mode"],
): Promise<WebhookAnswer | null> {
  const given = mode === "respond_node" ? await readAnswer(deps, runId) : null;
  if (given !== null) return given;
  const run = await findWorkflowRun(deps.db, runId);
  if (run === null) throw new HubError("not_found", "The run was deleted.");
  if (run.state === "queued" || run.state === "running" || run.state === "waiting") return null;
  // The run may have answered and ended between the two reads.
  const late = mode === "respond_node" ? await readAnswer(deps, runId) : null;
  if (late !== null) return late;
  if (run.state !== "succeeded") throw refuseFailed(run);
  if (mode === "last_node") return toJsonAnswer(await readLastOutput(deps, run));
  throw new HubError(
    "upstream_error",
    "The workflow ended without an answer: no webhook_respond node ran.",
    { detail: { run_id: runId } },
  );
}

async function readAnswer({ db }: AwaitDeps, runId: string): Promise<WebhookAnswer | null> {
  const stored = await readRunAnswer(db, runId);
  // Safe: the engine wrote it. Tokens of the owner's secrets stay in the hub.
  return stored === null ? null : (hideTokens(JSON.parse(stored)) as WebhookAnswer);
}

async function readLastOutput({ db }: AwaitDeps, run: WorkflowRunRecord): Promise<Json> {
  const step = run.lastNode === null ? null : await findStep(db, run.id, run.lastNode);
  return step?.output ? hideTokens(parseJson(step.output)) : null;
}

function toJsonAnswer(output: Json): WebhookAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(output ?? null),
  };
}

function refuseFailed({ id, state, error }: WorkflowRunRecord): HubError {
  const { message }: { message: string } =
    error === null ? { message: `The run is ${state}.` } : JSON.parse(error);
  return new HubError("run_failed", String(hideTokens(message)), { detail: { run_id: id } });
}

function refuseWait(runId: string): HubError {
  const seconds = waitMsMax / 1000;
  return new HubError(
    "timeout",
    `The workflow did not answer within ${seconds} s. The run goes on.`,
    { detail: { run_id: runId } },
  );
}
