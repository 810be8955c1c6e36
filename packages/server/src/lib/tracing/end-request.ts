import { type Span, SpanStatusCode } from "@opentelemetry/api";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
} from "./attribute-names.ts";
import type { RequestEnd } from "./tracing.ts";

/** Ends the span of a request. */
export function endRequest(span: Span, method: string, end: RequestEnd, endTime: number): void {
  if (span.isRecording()) {
    const { route, httpStatus } = end;
    span.updateName(`${method === "_OTHER" ? "HTTP" : method}${route === null ? "" : ` ${route}`}`);
    span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, httpStatus);
    if (route !== null) span.setAttribute(ATTR_HTTP_ROUTE, route);
    if (httpStatus >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, String(httpStatus));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end(endTime);
}
