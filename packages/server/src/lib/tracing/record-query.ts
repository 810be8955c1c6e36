import { type Context, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { ATTR_ERROR_TYPE } from "./attribute-names.ts";
import { nameStatement } from "./name-statement.ts";
import type { EndedQuery, SpanAttributes } from "./tracing.ts";

/** Records a statement that has ended as a span. */
export function recordQuery(
  tracer: Tracer,
  parent: Context,
  clockOffset: number,
  { system, text, startedAt, endedAt, hasFailed }: EndedQuery,
): void {
  const { operation, table } = nameStatement(text);
  const attributes: SpanAttributes = {
    "db.system.name": system,
    "db.operation.name": operation,
    ...(table !== null && { "db.collection.name": table }),
    ...(hasFailed && { [ATTR_ERROR_TYPE]: "_OTHER" }),
  };
  const name = table === null ? operation : `${operation} ${table}`;
  const startTime = clockOffset + startedAt;
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(clockOffset + endedAt);
}
