import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext } from "../../operations/operations.ts";
import { pendingLimits } from "../../operations/pending/pending-limits.ts";
import type { ClientQuestions } from "../../operations/ports.ts";

type NotifyDeps = { questions: Pick<ClientQuestions, "findState">; timers: Timers };

/** People decide in seconds or in minutes. Each check is a read of the database. */
const checkEveryMs = { first: 1_000, later: 5_000 };
const firstMs = 60_000;

/**
 * Tells a client that its user has finished on the page of a call, so that it makes the call again by itself (MCP 2025-11-25,
 * `notifications/elicitation/complete`). Sends nothing to a client whose connection has ended with the answer, or if the
 * question is open for longer than a caller has. The page stays valid in any case, so a read that fails is tried again.
 */
export function notifyPageEnded(
  { questions, timers }: NotifyDeps,
  ctx: CallContext,
  id: string,
): void {
  const { lateNotices } = ctx;
  if (lateNotices === undefined) return;
  const { ended } = lateNotices;
  const begin = timers.now();
  let cancel = () => {};

  const isOpen = async () => (await questions.findState(ctx, id)) === "open";
  async function check(): Promise<void> {
    const waits = await isOpen().catch(() => true);
    if (ended.aborted) return;
    if (waits) schedule();
    else {
      ended.removeEventListener("abort", stop);
      lateNotices?.send("notifications/elicitation/complete", { elicitationId: id });
    }
  }
  function schedule(): void {
    const age = timers.now() - begin;
    const waitMs = age < firstMs ? checkEveryMs.first : checkEveryMs.later;
    if (age > pendingLimits.callerMs) ended.removeEventListener("abort", stop);
    else cancel = timers.after(waitMs, () => void check());
  }
  const stop = () => cancel();

  if (ended.aborted) return;
  ended.addEventListener("abort", stop, { once: true });
  schedule();
}
