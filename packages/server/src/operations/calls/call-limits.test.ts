import { describe, expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import type { CallCounts, CallLimit, CallRefusal } from "../../store/limits/call-counts.ts";
import { createLocalCallCounts } from "../../store/limits/call-counts-local.ts";
import { createCallLimiter } from "./call-limits.ts";

const minute: CallLimit = { perMinute: 6, atOnce: 0 };

function createLimiter(counts: CallCounts) {
  return createCallLimiter({ counts, kind: "user", subject: "You have" });
}

function thrownBy(work: () => unknown): HubError | null {
  try {
    work();
    return null;
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown;
    throw thrown;
  }
}

describe("a call limiter", () => {
  test("A limiter refuses calls beyond the calls per minute, and says when to try again", () => {
    const limiter = createLimiter(createLocalCallCounts({ now: () => 0 }));
    for (let call = 0; call < 6; call += 1) limiter.enter("ada", minute).release();
    const refused = thrownBy(() => limiter.enter("ada", minute));
    expect(refused).toMatchObject({ code: "rate_limited", detail: { retry_after_s: 10 } });
    expect(refused?.message).toBe("You have used all 6 calls per minute. Try again in 10 s.");
    expect(thrownBy(() => limiter.enter("grace", minute))).toBeNull();
  });

  test("A limiter refuses calls beyond the concurrent calls, until one ends", () => {
    const limit = { perMinute: 0, atOnce: 1 };
    const limiter = createLimiter(createLocalCallCounts({ now: () => 0 }));
    const { release } = limiter.enter("ada", limit);
    expect(thrownBy(() => limiter.enter("ada", limit))?.message).toBe(
      "You have 1 running calls, which is the maximum. Try again in 1 s.",
    );
    release();
    expect(thrownBy(() => limiter.enter("ada", limit))).toBeNull();
  });

  test("Users and rows with the same id are counted apart", () => {
    const counts = createLocalCallCounts({ now: () => 0 });
    const rows = createCallLimiter({
      counts,
      kind: "row",
      subject: "The callers of this row have",
    });
    const limit = { perMinute: 1, atOnce: 0 };
    createLimiter(counts).enter("ada", limit);
    expect(thrownBy(() => rows.enter("ada", limit))).toBeNull();
  });

  test("A call that the database refuses later is not admitted", async () => {
    const answers: Array<CallRefusal | null> = [{ limit: "perMinute", waitMs: 1_500 }, null];
    const limiter = createLimiter({
      begin: () => ({ refusal: Promise.resolve(answers.shift() ?? null), end() {} }),
    });
    const refused = limiter.enter("ada", minute);
    await expect(refused.admitted ?? Promise.resolve()).rejects.toMatchObject({
      code: "rate_limited",
      detail: { retry_after_s: 2 },
    });
    await limiter.enter("ada", minute).admitted;
  });
});
