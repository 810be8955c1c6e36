import { type Context, type Span as OtelSpan, SpanStatusCode } from "@opentelemetry/api";
import { ATTR_ERROR_TYPE } from "./attribute-names.ts";
import { inject } from "./trace-context.ts";
import type { Span } from "./tracing.ts";

export const noSpan: Span = { context: null, set: () => {}, fail: () => {} };

export function toSpan(span: OtelSpan, context: Context): Span {
  return {
    get context() {
      return inject(context);
    },
    set: (attributes) => void span.setAttributes(attributes),
    fail(code, message) {
      span.setAttribute(ATTR_ERROR_TYPE, code);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    },
  };
}

/** The decision against recording is handed on, so that no part of the trace is recorded. */
export function toUnrecorded(context: Context): Span {
  return {
    get context() {
      return inject(context);
    },
    set: noSpan.set,
    fail: noSpan.fail,
  };
}
