import { expect, test } from "bun:test";
import { parseJson } from "@hub/connector";
import { createProgressWriter, findProgressTokenFault } from "./progress.ts";

test("A client without a progress token gets no frames", () => {
  expect(createProgressWriter({})({ done: 1 })).toBeNull();
  expect(createProgressWriter({ _meta: { progressToken: { a: 1 } } })({ done: 1 })).toBeNull();
});

test("A frame repeats every digit of the token and omits unknown members", () => {
  const progressToken = parseJson("98765432109876543210");
  const write = createProgressWriter({ _meta: { progressToken } });
  expect(write({ done: 1 })).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":98765432109876543210,"progress":1}}',
  );
});

test("A frame carries total and message", () => {
  const write = createProgressWriter({ _meta: { progressToken: "p" } });
  expect(JSON.parse(write({ done: 0, total: 2, message: 'half "way"' }) ?? "")).toEqual({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "p", progress: 0, total: 2, message: 'half "way"' },
  });
});

test("Reports whose progress does not increase are dropped", () => {
  const write = createProgressWriter({ _meta: { progressToken: "p" } });
  const sent = [1, 3, 2, 3, Number.NaN, Number.POSITIVE_INFINITY, 4].map((done) => write({ done }));
  expect(sent.map((frame) => frame !== null)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    true,
  ]);
});

test("A total that is not a finite number is omitted", () => {
  const write = createProgressWriter({ _meta: { progressToken: "p" } });
  expect(write({ done: 1, total: Number.POSITIVE_INFINITY })).not.toContain("total");
});

test("An invalid progress token is refused, a missing one is not", () => {
  const findFault = (progressToken: unknown) =>
    findProgressTokenFault({ _meta: { progressToken } });
  for (const token of [undefined, null, 7, "p", "p".repeat(256)]) {
    expect(findFault(token)).toBeNull();
  }
  for (const token of [true, {}, ["p"], "p".repeat(257), parseJson("9".repeat(257))]) {
    expect(findFault(token)?.code).toBe("malformed_params");
  }
});
