import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import type { OpenedStep, StepOutcome, StepTools } from "./open-step.ts";
import { canPass, isSafeToRepeat, type StepFailure, toStepFailure } from "./step-failure.ts";

/** How the tries of a step ended. */
export type TriesEnd = { tries: number; callRunId: string | null } & (
  | { kind: "outcome"; outcome: StepOutcome }
  | { kind: "failed"; failure: StepFailure }
  /** Another try is left, but it could do something a second time. A person must decide. */
  | { kind: "unsure"; failure: StepFailure }
);

type TryDeps = {
  timers: Pick<Timers, "after">;
  /** Logs an error of the hub's own code. */
  logFailure(err: unknown): void;
  /** Waits for a permit for a call of this owner. The returned function releases it. */
  enterCall(signal: AbortSignal): Promise<() => void>;
};

type Tries = {
  node: WorkflowNode;
  opened: OpenedStep;
  idempotencyKey: string;
  /** 1, or the try about which people were asked. */
  firstTry: number;
  /** Stores that the step has begun, unless it is stored already. */
  begin(): Promise<void>;
  recordWarnings(lines: readonly string[]): void;
  /** Aborts with a HubError when the run ends early. */
  signal: AbortSignal;
};

/** The longest pause between two tries, also if the outside system asks for a longer one. */
const backoffMsMax = 3_600_000;
const waitingCodes = new Set([
  "rate_limited",
  "unavailable",
  "insufficient_storage",
  // The same call runs in a process that may be dead. It is told so when that is known.
  "still_running",
]);
/** How often the hub's own limits may put off a call. They are not tries. */
const putOffMax = 1000;

/** Tries a step as often as its node allows. */
export async function tryStep(deps: TryDeps, given: Tries): Promise<TriesEnd> {
  const { node, opened, signal } = given;
  const attempts = node.retry?.attempts ?? 1;
  let tries = given.firstTry;
  let putOff = 0;
  for (;;) {
    let callRunId: string | null = null;
    try {
      const recordCall = (runId: string) => {
        callRunId = runId;
      };
      const outcome = await runWithPermit(deps, given, { attempt: tries, recordCall });
      return { kind: "outcome", outcome, tries, callRunId };
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      const failure = toStepFailure(thrown);
      if (failure.code === "internal") deps.logFailure(thrown);
      const end = { failure, tries, callRunId };
      if (signal.aborted) return { kind: "failed", ...end };
      const isUncertain = opened.effects === "once" && !isSafeToRepeat(failure);
      // The step has ended, but the database could not store how.
      const isUnsaved = failure.code === "unavailable" && isUncertain;
      // The limits of the owner and of the row let calls wait instead of failing, as a database does that
      // is away and a disk that is full.
      const isPutOff = waitingCodes.has(failure.code) && putOff < putOffMax;
      if (!isUnsaved && !isPutOff && (tries >= attempts || !canPass(failure))) {
        return { kind: "failed", ...end };
      }
      if (isUncertain) return { kind: "unsure", ...end };
      const pauseMs = isPutOff ? toPutOffMs(putOff, failure) : toBackoffMs(node, tries, failure);
      if (isPutOff) putOff += 1;
      else tries += 1;
      if (!(await pause(deps, pauseMs, signal)))
        return { kind: "failed", ...end, failure: toStepFailure(signal.reason) };
    }
  }
}

/** A call first waits for a permit. This wait counts neither as a start nor as time of the node. */
async function runWithPermit(
  deps: TryDeps,
  given: Tries,
  tools: Pick<StepTools, "attempt" | "recordCall">,
): Promise<StepOutcome> {
  const release = given.opened.isCall ? await deps.enterCall(given.signal) : null;
  try {
    await given.begin();
    return await runOnce(deps, given, tools);
  } finally {
    release?.();
  }
}

async function runOnce(
  { timers }: TryDeps,
  { node, opened, idempotencyKey, recordWarnings, signal }: Tries,
  { attempt, recordCall }: Pick<StepTools, "attempt" | "recordCall">,
): Promise<StepOutcome> {
  if (signal.aborted) throw signal.reason;
  const { timeout_s: timeoutS } = node;
  const tools = { idempotencyKey, attempt, recordCall, recordWarnings };
  // What only computes is over in a moment, and needs no other limit than its own.
  if (!opened.isCall && timeoutS === undefined) {
    return await opened.run({ signal, ...tools });
  }
  const abort = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const end = (reason: unknown) => {
    abort.abort(reason);
    reject(reason);
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const cancelTimer =
    timeoutS === undefined
      ? () => {}
      : timers.after(timeoutS * 1000, () =>
          end(new HubError("timeout", `The node did not end within its ${timeoutS} s.`)),
        );
  try {
    return await Promise.race([opened.run({ signal: abort.signal, ...tools }), ended]);
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Each refused call is recorded, so a long wait asks less often. */
function toPutOffMs(putOff: number, { retryAfterMs }: StepFailure): number {
  return Math.max(retryAfterMs ?? 0, Math.min(1000 * (putOff + 1), 10_000));
}

function toBackoffMs({ retry }: WorkflowNode, tries: number, failure: StepFailure): number {
  const own = (retry?.backoff_s ?? 1) * 1000 * 2 ** (tries - 1);
  return Math.min(Math.max(own, failure.retryAfterMs ?? 0), backoffMsMax);
}

/** False if the run ends early instead. */
function pause({ timers }: TryDeps, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const onAbort = () => {
      cancel();
      resolve(false);
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
