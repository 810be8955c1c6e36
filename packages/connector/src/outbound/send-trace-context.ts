import type { TraceContext } from "../operation-context.ts";
import type { FetchInit } from "./outbound-request.ts";

/**
 * The wire key of the field by which a row allows its requests to carry the trace context: a boolean
 * field `SendTraceContext` in the connector's configuration.
 */
const allowingField = "send_trace_context";

/**
 * Adds the headers `traceparent` and `tracestate` to a request if the row allows it. Headers that
 * the connector sets itself stay.
 */
export function withTraceContext(
  { trace, config }: { trace?: TraceContext | undefined; config: Record<string, unknown> },
  input: string | URL | Request,
  init: FetchInit | undefined,
): FetchInit | undefined {
  if (trace === undefined || config[allowingField] !== true) return init;
  const given = init?.headers ?? (input instanceof Request ? input.headers : undefined);
  const headers = new Headers(given);
  if (headers.has("traceparent")) return init;
  headers.set("traceparent", trace.traceparent);
  if (trace.tracestate !== undefined) headers.set("tracestate", trace.tracestate);
  return { ...init, headers };
}
