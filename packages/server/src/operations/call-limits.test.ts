import { describe, expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { type CallLimit, createCallLimiter } from "./call-limits.ts";

function openLimiter(limit: CallLimit) {
  const clock = { ms: 0 };
  const limiter = createCallLimiter({ subject: "You have", now: () => clock.ms });
  const failureOf = (id: string, under: CallLimit = limit) => {
    try {
      limiter.enter(id, under)();
      return null;
    } catch (thrown) {
      if (thrown instanceof HubError) return thrown;
      throw thrown;
    }
  };
  return { clock, limiter, failureOf };
}

describe("a call limiter", () => {
  test("A limiter without limits admits every call", () => {
    const { failureOf } = openLimiter({ perMinute: 0, atOnce: 0 });
    for (let call = 0; call < 1000; call += 1) expect(failureOf("ada")).toBeNull();
  });

  test("A limiter refuses calls beyond the calls per minute, and says when to try again", () => {
    const { clock, failureOf } = openLimiter({ perMinute: 6, atOnce: 0 });
    for (let call = 0; call < 6; call += 1) expect(failureOf("ada")).toBeNull();
    const refused = failureOf("ada");
    expect(refused?.code).toBe("rate_limited");
    expect(refused?.detail).toEqual({ retry_after_s: 10 });
    expect(failureOf("grace")).toBeNull();
    clock.ms += 10_000;
    expect(failureOf("ada")).toBeNull();
    expect(failureOf("ada")).not.toBeNull();
  });

  test("A limiter refuses calls beyond the concurrent calls, until one ends", () => {
    const limit = { perMinute: 0, atOnce: 2 };
    const { limiter, failureOf } = openLimiter(limit);
    const release = limiter.enter("ada", limit);
    limiter.enter("ada", limit);
    expect(failureOf("ada")?.code).toBe("rate_limited");
    release();
    // Releasing the same call twice must not admit another call.
    release();
    limiter.enter("ada", limit);
    expect(failureOf("ada")).not.toBeNull();
  });

  test("A changed limit also counts the calls before the change", () => {
    const { clock, failureOf } = openLimiter({ perMinute: 2, atOnce: 0 });
    expect([failureOf("ada"), failureOf("ada")]).toEqual([null, null]);
    expect(failureOf("ada")).not.toBeNull();
    expect(failureOf("ada", { perMinute: 3, atOnce: 0 })).toBeNull();
    expect(failureOf("ada", { perMinute: 3, atOnce: 0 })).not.toBeNull();
    expect(failureOf("ada", { perMinute: 0, atOnce: 0 })).toBeNull();
    const lower = { perMinute: 1, atOnce: 0 };
    expect(failureOf("ada", lower)?.detail).toEqual({ retry_after_s: 60 });
    clock.ms += 60_000;
    expect(failureOf("ada", lower)).toBeNull();
  });

  test("After the clock is set back, a user waits at most one minute", () => {
    const { clock, failureOf } = openLimiter({ perMinute: 1, atOnce: 0 });
    clock.ms = 3_600_000;
    expect(failureOf("ada")).toBeNull();
    clock.ms = 0;
    expect(failureOf("ada")).not.toBeNull();
    clock.ms = 60_000;
    expect(failureOf("ada")).toBeNull();
  });
});
