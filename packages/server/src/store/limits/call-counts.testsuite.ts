import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { CallCounts, CallLimit, CallRefusal } from "./call-counts.ts";

export type TestCounts = {
  counts: CallCounts;
  /** Moves every clock. */
  advance(ms: number): Promise<void>;
  remove(): Promise<void>;
};

/** The contract of the counts of one process. */
export function describeCallCounts(name: string, open: () => Promise<TestCounts>): void {
  describe(`the call counts ${name}`, () => {
    let opened: TestCounts;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.remove();
    });

    /** A call that ends at once. */
    async function call(key: string, limit: CallLimit): Promise<CallRefusal | null> {
      const { refusal, end } = opened.counts.begin(key, limit);
      const found = await refusal;
      end();
      return found;
    }

    test("Without limits, every call may run", async () => {
      for (let n = 0; n < 1000; n += 1) {
        expect(await call("ada", { perMinute: 0, atOnce: 0 })).toBeNull();
      }
    });

    test("Calls beyond those per minute are refused with the time to wait", async () => {
      const limit = { perMinute: 6, atOnce: 0 };
      for (let n = 0; n < 6; n += 1) expect(await call("ada", limit)).toBeNull();
      const refused = await call("ada", limit);
      if (refused?.limit !== "perMinute") throw new Error("The call was not refused.");
      expect(Math.abs(refused.waitMs - 10_000)).toBeLessThan(1_000);
      expect(await call("grace", limit)).toBeNull();
      await opened.advance(refused.waitMs);
      expect(await call("ada", limit)).toBeNull();
      expect(await call("ada", limit)).toMatchObject({ limit: "perMinute" });
    });

    test("Of calls that begin together, exactly those within the limit may run", async () => {
      const limit = { perMinute: 500, atOnce: 0 };
      const refusals = await Promise.all(Array.from({ length: 600 }, () => call("ada", limit)));
      expect(refusals.filter((refusal) => refusal === null)).toHaveLength(500);
    });

    test("Concurrent calls beyond the limit are refused until one ends", async () => {
      const limit = { perMinute: 0, atOnce: 2 };
      const { counts } = opened;
      const running = [1, 2, 3].map(() => counts.begin("ada", limit));
      expect(await Promise.all(running.map(({ refusal }) => refusal))).toEqual([
        null,
        null,
        { limit: "atOnce" },
      ]);
      running[2]?.end();
      expect(await call("ada", limit)).toEqual({ limit: "atOnce" });
      running[0]?.end();
      // A second end of the same call must not admit another one.
      running[0]?.end();
      const next = counts.begin("ada", limit);
      expect(await next.refusal).toBeNull();
      expect(await call("ada", limit)).toEqual({ limit: "atOnce" });
    });

    test("A call that ends before it is admitted does not count as running", async () => {
      const limit = { perMinute: 0, atOnce: 1 };
      const { refusal, end } = opened.counts.begin("ada", limit);
      end();
      await refusal;
      expect(await call("ada", limit)).toBeNull();
    });

    test("A changed limit also counts the calls before the change", async () => {
      const limit = { perMinute: 2, atOnce: 0 };
      expect([await call("ada", limit), await call("ada", limit)]).toEqual([null, null]);
      expect(await call("ada", limit)).not.toBeNull();
      const higher = { perMinute: 3, atOnce: 0 };
      expect(await call("ada", higher)).toBeNull();
      expect(await call("ada", higher)).not.toBeNull();
      expect(await call("ada", { perMinute: 0, atOnce: 0 })).toBeNull();
      const lower = { perMinute: 1, atOnce: 0 };
      const refused = await call("ada", lower);
      if (refused?.limit !== "perMinute") throw new Error("The call was not refused.");
      expect(Math.abs(refused.waitMs - 60_000)).toBeLessThan(1_000);
      await opened.advance(60_000);
      expect(await call("ada", lower)).toBeNull();
    });

    test("A lower limit holds for the next call", async () => {
      const higher = { perMinute: 600, atOnce: 0 };
      expect(await call("ada", higher)).toBeNull();
      expect(await call("ada", { perMinute: 1, atOnce: 0 })).toMatchObject({ limit: "perMinute" });
    });
  });
}
