import type { Json } from "@hub/connector";
import type { CallContext } from "../../operations/operations.ts";

/** An operation that runs until a test ends it or its call is aborted. */
export function createHeldRun() {
  const started = Promise.withResolvers<CallContext>();
  const ended = Promise.withResolvers<Json>();
  return {
    run(ctx: CallContext): Promise<Json> {
      const aborted = Promise.withResolvers<Json>();
      ctx.signal.addEventListener("abort", () => aborted.reject(ctx.signal.reason), { once: true });
      if (ctx.signal.aborted) aborted.reject(ctx.signal.reason);
      started.resolve(ctx);
      return Promise.race([ended.promise, aborted.promise]);
    },
    /** Resolves with the call's context once it runs. */
    started: started.promise,
    end: (value: Json) => ended.resolve(value),
  };
}
