import { expect, test } from "bun:test";
import { withTraceContext } from "./send-trace-context.ts";

const trace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
const allowed = { trace, config: { send_trace_context: true } };
const url = "https://api.example.com/";

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers));
}

test("A request carries the trace context only if the row allows it", () => {
  expect(headersOf(withTraceContext(allowed, url, undefined))).toEqual(trace);
  const tracestate = "vendor=1";
  const state = { trace: { ...trace, tracestate }, config: allowed.config };
  expect(headersOf(withTraceContext(state, url, {}))).toEqual({ ...trace, tracestate });
  for (const config of [{}, { send_trace_context: false }, { send_trace_context: "true" }]) {
    expect(withTraceContext({ trace, config }, url, undefined)).toBeUndefined();
  }
  expect(withTraceContext({ config: allowed.config }, url, undefined)).toBeUndefined();
});

test("The other headers of a request stay, and a trace context that it has is kept", () => {
  const accept = { accept: "text/csv" };
  expect(headersOf(withTraceContext(allowed, url, { headers: accept }))).toEqual({
    ...accept,
    ...trace,
  });
  const request = new Request(url, { headers: accept });
  expect(headersOf(withTraceContext(allowed, request, undefined))).toEqual({ ...accept, ...trace });
  const own = { headers: { traceparent: "own" } };
  expect(withTraceContext(allowed, url, own)).toBe(own);
});
