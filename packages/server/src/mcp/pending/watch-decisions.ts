import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { ClientQuestions } from "../../operations/ports.ts";

/** Waits for the decisions of people, for clients that said that their user opened the page. */
export type DecisionWatch = {
  /** Resolves when the call does not wait any more, when the person takes long, or when `ctx.signal` aborts. */
  wait(ctx: CallContext, id: string): Promise<void>;
};

const checkEveryMs = 1000;
/** Many clients give up a request after a minute. */
const waitMsMax = 45_000;

/** Any number of requests about one call ask the database once a second. */
export function createDecisionWatch({
  questions,
  timers,
}: {
  questions: Pick<ClientQuestions, "findState">;
  timers: Timers;
}): DecisionWatch {
  const running: Map<string, Promise<void>> = new Map();

  async function watch(ctx: CallContext, id: string): Promise<void> {
    const until = timers.now() + waitMsMax;
    while (timers.now() < until) {
      if ((await questions.findState(ctx, id)) !== "open") return;
      await new Promise<void>((resolve) => timers.after(checkEveryMs, resolve));
    }
  }

  return {
    async wait(ctx, id) {
      // A pending call has one principal, so that all who wait for it may know its state.
      const known = running.get(id);
      const watched = known ?? watch(ctx, id).finally(() => running.delete(id));
      if (known === undefined) running.set(id, watched);
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = () => resolve();
      ctx.signal.addEventListener("abort", stop, { once: true });
      if (ctx.signal.aborted) stop();
      await Promise.race([watched, promise]).finally(() =>
        ctx.signal.removeEventListener("abort", stop),
      );
    },
  };
}
