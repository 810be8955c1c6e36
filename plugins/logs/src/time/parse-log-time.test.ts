import { describe, expect, test } from "bun:test";
import { parseTime } from "./parse-log-time.ts";
import { fromRfc3339, toRfc3339 } from "./rfc3339.ts";

const nowNs = 1_795_176_000_000_000_000n;

describe("A time", () => {
  test.each([
    ["now", nowNs],
    [" now-1h30m ", nowNs - 5_400_000_000_000n],
    ["now + 2w", nowNs + 1_209_600_000_000_000n],
    ["now-250ms", nowNs - 250_000_000n],
    ["100000000000000", 100_000_000_000_000n],
    ["9223372036854775807", 9_223_372_036_854_775_807n],
    ["1970-01-01T00:00:00.000000001Z", 1n],
    ["2026-11-20t12:00:00z", nowNs],
    ["2026-11-20 06:30:00-05:30", nowNs],
    ["2024-02-29T23:59:59.5Z", 1_709_251_199_500_000_000n],
  ])("The time %p is parsed to the nanosecond", (text, timeNs) => {
    expect(parseTime("start", text, nowNs)).toBe(timeNs);
  });

  test.each([
    ["99999999999999", "is not a time"],
    ["1795176000", "If these are seconds, write 2026-11-20T12:00:00Z."],
    ["1795176000000", "If these are milliseconds, write 2026-11-20T12:00:00Z."],
    ["2026-11-20T12:00:00", "It has no offset: write 2026-11-20T12:00:00Z for UTC"],
    ["2026-11-31T12:00:00Z", "is not a time"],
    ["2026-11-20T24:00:00Z", "is not a time"],
    ["2026-11-20T12:00:00+24:00", "is not a time"],
    ["2026-11-20T12:00:00.1234567890Z", "is not a time"],
    ["now-1M", "is not a time"],
    ["now-1h5", "is not a time"],
    ["-1h", "is not a time"],
    ["9223372036854775808", "between 1970-01-01 and 2262-04-11"],
    ["9".repeat(10_000), "between 1970-01-01 and 2262-04-11"],
    ["now-999999999w", "between 1970-01-01 and 2262-04-11"],
    ["1969-12-31T23:59:59Z", "between 1970-01-01 and 2262-04-11"],
  ])("The time %p is refused with a correction", (text, words) => {
    expect(() => parseTime("end", text, nowNs)).toThrow(words);
    expect(() => parseTime("end", text, nowNs)).toThrow(/^end /);
  });

  test("A time is equal after it is written and parsed again", () => {
    for (const timeNs of [0n, 1n, 999_999_999n, nowNs + 120_000_000n, 9_223_372_036_854_775_807n]) {
      expect(fromRfc3339(toRfc3339(timeNs))).toBe(timeNs);
    }
  });
});
