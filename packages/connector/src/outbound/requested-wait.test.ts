import { expect, test } from "bun:test";
import { readRequestedWait } from "./requested-wait.ts";

const now = Date.parse("2026-03-02T08:00:00.500Z");
const epoch = Date.parse("2026-03-02T08:00:00Z") / 1000;
const spent = { "x-ratelimit-remaining": "0" };

test.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ "retry-after": "120" }, 120],
  [{ "retry-after": " 7 " }, 7],
  [{ "retry-after": "0.5" }, 0.5],
  [{ "retry-after": "Mon, 02 Mar 2026 08:00:30 GMT" }, 30],
  [{ "retry-after": "Mon, 02 Mar 2026 07:00:00 GMT" }, 0],
  [{ "retry-after": "Monday, 02-Mar-26 08:01:00 GMT" }, 60],
  [{ "retry-after": "Mon Mar  2 08:02:00 2026" }, 120],
  [{ "retry-after": "Mon, 02 Mar 2026 09:00:30 GMT", date: "Mon, 02 Mar 2026 09:00:00 GMT" }, 30],
  [{ "retry-after": "2026-03-02T09:00:00Z" }, null],
  [{ "retry-after": "soon" }, null],
  [{ "retry-after": "-5" }, null],
  [{ "retry-after": "1e9" }, null],
  [{ ...spent, "x-ratelimit-reset": String(epoch + 90) }, 90],
  [{ ...spent, "x-ratelimit-reset": String((epoch + 90) * 1000) }, 90],
  [{ ...spent, "x-ratelimit-reset": "45" }, 45],
  [{ ...spent, "x-ratelimit-reset": String(epoch - 90) }, 0],
  [{ ...spent, "x-ratelimit-reset": String(epoch + 90), "retry-after": "7" }, 7],
  [
    { ...spent, "x-ratelimit-reset": String(epoch + 90), date: "Mon, 02 Mar 2026 08:00:50 GMT" },
    40,
  ],
  [{ ...spent, "x-ratelimit-reset": "" }, null],
  [{ ...spent, "x-ratelimit-reset": "Infinity" }, null],
  [{ ...spent, "x-ratelimit-reset": "1e300" }, null],
  [{ "x-ratelimit-remaining": "3", "x-ratelimit-reset": String(epoch + 90) }, null],
  [{ "ratelimit-remaining": "0", "ratelimit-reset": "12" }, 12],
])("A refusal with %j asks for %p seconds", (headers, seconds) => {
  for (const given of [headers, new Headers(headers)]) {
    expect(readRequestedWait({ status: 429, headers: given }, { now })).toBe(seconds);
  }
  expect(readRequestedWait({ status: 200, headers }, { now })).toBeNull();
});

test.each<[unknown, number | null]>([
  [{ ok: false, parameters: { retry_after: 4 } }, 4],
  [{ message: "You are being rate limited.", retry_after: 0.75 }, 0.75],
  [{ parameters: { retry_after: "4" } }, null],
  [{ parameters: { retry_after: -4 } }, null],
  [{ retry_after: Number.NaN }, null],
  ["retry_after", null],
  [null, null],
])("A refusal with the body %j asks for %p seconds", (body, seconds) => {
  expect(readRequestedWait({ status: 429, headers: {} }, { now, body })).toBe(seconds);
  expect(readRequestedWait({ status: 404, headers: {} }, { now, body })).toBeNull();
});
