import type { TraceContext } from "@hub/connector";
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
} from "@opentelemetry/api";
import { telemetrySdk } from "./telemetry-sdk.ts";

const propagator = new telemetrySdk.W3CTraceContextPropagator();
/** The standard limits a `tracestate` to 512 characters. */
const contextCharsMax = 512;

/** The context of a caller. ROOT_CONTEXT if it is invalid. `baggage` is not read. */
export function extract({ traceparent, tracestate }: TraceContext): Context {
  const isShort = tracestate !== undefined && tracestate.length <= contextCharsMax;
  const carrier = { traceparent, ...(isShort && { tracestate }) };
  if (traceparent.length > contextCharsMax) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

export function inject(context: Context): TraceContext | null {
  const carrier: Partial<TraceContext> = {};
  propagator.inject(context, carrier, defaultTextMapSetter);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return null;
  return { traceparent, ...(tracestate && { tracestate }) };
}

export function toCarrier(headers: Pick<Headers, "get">): TraceContext {
  const tracestate = headers.get("tracestate");
  return {
    traceparent: headers.get("traceparent") ?? "",
    ...(tracestate !== null && { tracestate }),
  };
}
