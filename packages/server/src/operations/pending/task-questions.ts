import { isJsonObject, type Json, toJsonText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import {
  endTaskQuestion,
  findTaskAnswer,
  putTaskAnswer,
  putTaskQuestion,
  type TaskRun,
} from "../../store/pending/task-questions.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import type { ClientRequest } from "../operations.ts";
import type { FollowDeps } from "./follow-running-call.ts";
import { openTaskInput, sealTaskInput } from "./sealed-request.ts";

/** A question of a running task. Its key is used once. */
export type TaskQuestion = { key: string; request: ClientRequest };

/** The questions that a running task asks its client, which answers on any server. */
export type TaskQuestions = {
  /** False if the call does not run any more. */
  ask(run: TaskRun, question: TaskQuestion): Promise<boolean>;
  /** The client's answer; undefined while there is none, null if none comes. */
  takeAnswer(run: TaskRun): Promise<Json | null | undefined>;
  /** Takes the question back. */
  takeBack(run: TaskRun): Promise<void>;
};

type QuestionDeps = Pick<FollowDeps, "db" | "ring" | "now">;

/** Larger than the largest form, filled in. */
const answerCharsMax = 256 * 1024;

export function createTaskQuestions(deps: QuestionDeps): TaskQuestions {
  const { db, ring, now } = deps;
  const sealing = { store: deps, ring };
  /** Why each call of this process that asks was stored. */
  const reasons = new Map<string, PendingCall["reason"]>();
  const takeBack = async (run: TaskRun) => {
    const reason = reasons.get(run.id);
    if (reason === undefined) return;
    await endTaskQuestion(db, { ...run, reason });
    // Not before: if it fails, the question can be taken back again.
    reasons.delete(run.id);
  };
  return {
    takeBack,
    async ask(run, { key, request }) {
      const input = { kind: "question" as const, key, request };
      const at = now();
      const reason = await storeSecrets(
        sealing,
        (keys) => sealTaskInput(keys, run.id, input),
        (trx, question) => putTaskQuestion(trx, { ...run, question, at }),
      );
      if (reason !== null) reasons.set(run.id, reason);
      return reason !== null;
    },
    async takeAnswer(run) {
      const sealed = await findTaskAnswer(db, run);
      if (sealed === null) return undefined;
      const input = sealed && openTaskInput(await ring.reload(), run.id, sealed);
      await takeBack(run);
      return input?.kind === "answer" ? input.response : null;
    },
  };
}

/** What a running task asks; null if it asks nothing that is not answered. */
export function findTaskQuestion(
  { ring }: Pick<QuestionDeps, "ring">,
  { id, state, reason, result }: Pick<PendingCall, "id" | "state" | "reason" | "result">,
): TaskQuestion | null {
  if (state !== "running" || reason !== "input" || result === null) return null;
  const input = openTaskInput(ring.current(), id, result);
  return input.kind === "question" ? { key: input.key, request: input.request } : null;
}

/** Stores the client's answer to what the task asks. One to something else has no effect. */
export async function answerTaskQuestion(
  deps: QuestionDeps,
  call: Pick<PendingCall, "id" | "state" | "reason" | "result" | "resultAt">,
  responses: Readonly<Record<string, Json>>,
): Promise<void> {
  const question = findTaskQuestion(deps, call);
  if (question === null || !Object.hasOwn(responses, question.key)) return;
  const response = responses[question.key];
  if (!isJsonObject(response)) return;
  if (toJsonText(response).length > answerCharsMax) {
    throw new HubError("malformed_params", "The answer is larger than 256 KiB.");
  }
  const { id, resultAt } = call;
  await storeSecrets(
    { store: deps, ring: deps.ring },
    (keys) => sealTaskInput(keys, id, { kind: "answer", response }),
    (trx, answer) => putTaskAnswer(trx, { id, askedAt: resultAt ?? 0, answer }),
  );
}
