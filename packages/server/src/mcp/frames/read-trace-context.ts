import { isJsonObject } from "@hub/connector";
import type { CallContext } from "../../operations/operations.ts";
import type { Params } from "./frame.ts";

/**
 * Adds the trace context of a message, which may pass through several HTTP requests: SEP-414. Its
 * `baggage` is not read, because it can contain anything.
 */
export function withTraceContext(ctx: CallContext, { _meta: meta }: Params): CallContext {
  if (!isJsonObject(meta)) return ctx;
  const { traceparent, tracestate } = meta;
  if (typeof traceparent !== "string") return ctx;
  const state = typeof tracestate === "string" ? { tracestate } : {};
  return { ...ctx, traceContext: { traceparent, ...state } };
}
