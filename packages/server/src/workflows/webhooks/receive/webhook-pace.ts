import { HubError } from "../../../errors.ts";
import type { CallCounts } from "../../../store/limits/call-counts.ts";

type PaceDeps = {
  counts: CallCounts;
  now(): number;
  /** Accepted requests of one workflow, per minute. */
  perMinute: number;
};

type PacedWorkflow = { workflowId: string; isTest: boolean };

/** The pace of each workflow. Both functions throw `rate_limited` with `retry_after_s`. */
export type WebhookPace = {
  /** Refuses a request before its body is read, if the pace is known to be used up. Counts nothing. */
  checkBefore(workflow: PacedWorkflow): void;
  /** Counts a request whose signature and body are valid: a stranger cannot use up the pace. */
  count(workflow: PacedWorkflow): Promise<void>;
};

const testsPerMinute = 60;
/** Of more, the oldest are forgotten, whose requests are then refused after their body was read. */
const knownMax = 10_000;

export function createWebhookPace({ counts, now, perMinute }: PaceDeps): WebhookPace {
  /** When the next request may come, of workflows whose pace is used up. */
  const freeAtByKey = new Map<string, number>();

  function refuse(isTest: boolean, waitMs: number): HubError {
    const waitS = Math.ceil(waitMs / 1000);
    const max = isTest ? testsPerMinute : perMinute;
    return new HubError(
      "rate_limited",
      `The workflow takes ${max} requests a minute. Send it again in ${waitS} s.`,
      { detail: { retry_after_s: waitS } },
    );
  }

  function remember(key: string, freeAt: number): void {
    freeAtByKey.delete(key);
    freeAtByKey.set(key, freeAt);
    const [oldest] = freeAtByKey.keys();
    if (freeAtByKey.size > knownMax && oldest !== undefined) freeAtByKey.delete(oldest);
  }

  return {
    checkBefore(workflow) {
      const key = toKey(workflow);
      const waitMs = (freeAtByKey.get(key) ?? 0) - now();
      if (waitMs <= 0) freeAtByKey.delete(key);
      // A clock that was set back must not block the workflow.
      else if (waitMs <= 60_000) throw refuse(workflow.isTest, waitMs);
    },
    async count(workflow) {
      const key = toKey(workflow);
      const limit = { perMinute: workflow.isTest ? testsPerMinute : perMinute, atOnce: 0 };
      const counted = counts.begin(key, limit);
      try {
        const refusal = await counted.refusal;
        if (refusal === null) return;
        const waitMs = refusal.limit === "perMinute" ? refusal.waitMs : 1_000;
        remember(key, now() + waitMs);
        throw refuse(workflow.isTest, waitMs);
      } finally {
        counted.end();
      }
    },
  };
}

function toKey({ workflowId, isTest }: PacedWorkflow): string {
  return `${isTest ? "webhook-test" : "webhook"}:${workflowId}`;
}
