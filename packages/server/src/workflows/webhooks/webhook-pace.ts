import { HubError } from "../../errors.ts";
import type { CallCounts } from "../../store/call-counts.ts";
import { createDailyBytes } from "./daily-bytes.ts";

type PaceDeps = {
  counts: CallCounts;
  now(): number;
  /** Accepted requests of one workflow, per minute. */
  perMinute: number;
  /** Bytes of bodies that one workflow stores, per day. */
  bytesPerDay: number;
};

type PacedWorkflow = { workflowId: string; isTest: boolean };

/** The pace of each workflow. Both functions throw `rate_limited` with `retry_after_s`. */
export type WebhookPace = {
  /** Refuses a request before its body is read, if the pace is known to be used up. Counts nothing. */
  checkBefore(workflow: PacedWorkflow): void;
  /**
   * Counts a request whose signature and body are valid, and the bytes of its body: a stranger cannot use up the pace.
   */
  count(workflow: PacedWorkflow, bytes: number): Promise<void>;
};

const testsPerMinute = 60;
/** Of more, the oldest are forgotten, whose requests are then refused after their body was read. */
const knownMax = 10_000;
/** A workflow that may not store even so much takes no bodies for a while. */
const smallBytes = 1024;
const rememberedMsMax = 60_000;

export function createWebhookPace({ counts, now, perMinute, bytesPerDay }: PaceDeps): WebhookPace {
  /** Of workflows whose pace is used up. */
  const refusals = new Map<string, Refusal>();
  const bodies = createDailyBytes({ now, perDay: bytesPerDay });

  function remember(key: string, refusal: Refusal): void {
    refusals.delete(key);
    refusals.set(key, refusal);
    const [oldest] = refusals.keys();
    if (refusals.size > knownMax && oldest !== undefined) refusals.delete(oldest);
  }

  async function countRequest(workflow: PacedWorkflow): Promise<void> {
    const key = toKey(workflow);
    const max = workflow.isTest ? testsPerMinute : perMinute;
    const counted = counts.begin(key, { perMinute: max, atOnce: 0 });
    try {
      const refusal = await counted.refusal;
      if (refusal === null) return;
      const waitMs = refusal.limit === "perMinute" ? refusal.waitMs : 1_000;
      const what = `The workflow takes ${max} requests a minute.`;
      remember(key, { freeAt: now() + waitMs, what });
      throw refuse(what, waitMs);
    } finally {
      counted.end();
    }
  }

  function countBytes(workflow: PacedWorkflow, bytes: number): void {
    const { workflowId } = workflow;
    const waitMs = bodies.take(workflowId, bytes);
    if (waitMs === 0) return;
    const what = `The workflow takes ${bytesPerDay} bytes of bodies a day.`;
    if (bytes <= smallBytes) {
      remember(toKey(workflow), { freeAt: now() + Math.min(waitMs, rememberedMsMax), what });
    }
    throw refuse(what, waitMs);
  }

  return {
    checkBefore(workflow) {
      const key = toKey(workflow);
      const known = refusals.get(key);
      if (known === undefined) return;
      const waitMs = known.freeAt - now();
      if (waitMs <= 0) refusals.delete(key);
      // A clock that was set back must not block the workflow.
      else if (waitMs <= rememberedMsMax) throw refuse(known.what, waitMs);
    },
    async count(workflow, bytes) {
      await countRequest(workflow);
      countBytes(workflow, bytes);
    },
  };
}

/** The last refusal of a workflow whose pace is used up. */
type Refusal = { freeAt: number; what: string };

function refuse(what: string, waitMs: number): HubError {
  const waitS = Math.ceil(waitMs / 1000);
  return new HubError("rate_limited", `${what} Send it again in ${waitS} s.`, {
    detail: { retry_after_s: waitS },
  });
}

function toKey({ workflowId, isTest }: PacedWorkflow): string {
  return `${isTest ? "webhook-test" : "webhook"}:${workflowId}`;
}
