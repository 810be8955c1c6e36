import {
  findNumberText,
  type OutboundPolicy,
  type TraceContext,
  toJsonText,
  type WidgetClick,
} from "@hub/connector";
import type { AppVersion, ExecuteRequest } from "@hub/connector/plugin";

export type PluginRequest = {
  operation: string;
  /** Config and params are typed values by wire key. */
  config: Record<string, unknown>;
  params: Record<string, unknown>;
  requestId: string;
  /** Set for calls of an html widget. */
  widget?: WidgetClick;
  outbound: OutboundPolicy;
  /** The same for each try of a step of a workflow. Plugins of version 1 do not get it. */
  idempotencyKey?: string | undefined;
  /** Null or absent without a trace. */
  trace?: TraceContext | null;
};

/** A request in the form of the plugin's protocol version. */
export function toRequest(version: AppVersion, request: PluginRequest): Partial<ExecuteRequest> {
  const { operation, config, params, requestId, outbound, widget, trace, idempotencyKey } = request;
  if (version === 1) {
    return {
      operation,
      requestId,
      ...trace,
      argsJson: toBytes({ ...toTexts(params), ...(widget && toVersion1Widget(widget)) }),
      creds: toTexts(config),
    };
  }
  return {
    operation,
    requestId,
    ...trace,
    argsJson: toBytes(params),
    configJson: toBytes(config),
    outboundPolicyJson: toBytes(outbound),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(widget && { widgetInputJson: toBytes(widget.inputs) }),
  };
}

/** Elements by name, and `browser`: the params of every render and click in version 1. */
function toVersion1Widget({ inputs, browser }: WidgetClick): Record<string, string> {
  return { ...inputs, ...(browser !== undefined && { browser }) };
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(toJsonText(value));
}

function toTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, toVersion1Text(value)]),
  );
}

/** In version 1 every value is text: tables as JSON, integers without a fraction. */
function toVersion1Text(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  // `String` writes large integers with an exponent.
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return findNumberText(value) ?? toJsonText(value);
}
