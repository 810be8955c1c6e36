import { type Json, parseJson, toDurationText, toJsonText } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { HotReads, RunEnd } from "../../../store/database/hot-reads.ts";
import type { RunWatch } from "../../engine/commit/run-watch.ts";
import { hideTokens } from "../../engine/secrets/hide-tokens.ts";
import type { WebhookAnswer } from "../../engine/walk/webhook-answer.ts";
import type { WebhookTrigger } from "../receive/find-webhook-trigger.ts";
import { answerWaitMs } from "./answer-wait.ts";

type AwaitDeps = {
  reads: Pick<HotReads, "readRunEnd">;
  watch: RunWatch;
  timers: Pick<Timers, "after">;
};

/**
 * Waits for what a run answers to the request that started it: the answer of a `webhook_respond` node,
 * or the last output of the run. Throws `timeout` after 30 seconds; the run goes on.
 */
export async function awaitAnswer(
  deps: AwaitDeps,
  { runId, mode }: { runId: string; mode: WebhookTrigger["respond_mode"] },
): Promise<WebhookAnswer> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<"time_is_up">();
  const clear = deps.timers.after(answerWaitMs, () => resolve("time_is_up"));
  try {
    for (;;) {
      const { promise: changed, resolve: signalChange } = Promise.withResolvers<void>();
      const unsubscribe = deps.watch.subscribe(runId, signalChange);
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
  { reads }: AwaitDeps,
  runId: string,
  mode: WebhookTrigger["respond_mode"],
): Promise<WebhookAnswer | null> {
  const run = await reads.readRunEnd(runId);
  if (run === null) throw new HubError("not_found", "The run was deleted.");
  const { state, answer, output } = run;
  // Tokens of the owner's secrets stay in the hub. The engine wrote the answer.
  if (mode === "respond_node" && answer !== null) {
    return hideTokens(JSON.parse(answer)) as WebhookAnswer;
  }
  if (state === "queued" || state === "running" || state === "waiting") return null;
  if (mode === "respond_node") throw refuseUnanswered(runId, run);
  if (state !== "succeeded") throw refuseFailed(runId, run);
  return toJsonAnswer(output ? hideTokens(parseJson(output)) : null);
}

function toJsonAnswer(output: Json): WebhookAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: toJsonText(output ?? null),
  };
}

/** The run ended, in whatever way, before a `webhook_respond` node answered. */
function refuseUnanswered(runId: string, run: RunEnd): HubError {
  const reason = run.state === "succeeded" ? "" : ` ${readReason(run)}`;
  return new HubError(
    "upstream_error",
    `The workflow ended without an answer: no webhook_respond node ran.${reason}`,
    { detail: { run_id: runId } },
  );
}

function refuseFailed(runId: string, run: RunEnd): HubError {
  return new HubError("run_failed", readReason(run), { detail: { run_id: runId } });
}

/** Why a run did not succeed, without the tokens in it. */
function readReason({ state, error }: RunEnd): string {
  const { message }: { message: string } =
    error === null ? { message: `The run is ${state}.` } : JSON.parse(error);
  return String(hideTokens(message));
}

function refuseWait(runId: string): HubError {
  return new HubError(
    "timeout",
    `The workflow did not answer within ${toDurationText(answerWaitMs)}. The run goes on.`,
    { detail: { run_id: runId } },
  );
}
