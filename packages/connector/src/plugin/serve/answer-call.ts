import { createHash } from "node:crypto";
import type { ConnectorDefinition } from "../../connector-definition.ts";
import type { FieldSpec, ValuesByKey } from "../../fields/field-spec.ts";
import type { CallTools, TraceContext } from "../../operation-context.ts";
import { createGuardedFetch } from "../../outbound/guarded-fetch.ts";
import { findAllowFault, type OutboundPolicy } from "../../outbound/outbound-policy.ts";
import { withTraceContext } from "../../outbound/send-trace-context.ts";
import { runGenerator, runHealth, runLookup, runOperation } from "../../run-operation.ts";
import { suggest } from "../../suggest.ts";
import type { AppVersion } from "../wire/handshake.ts";
import { reservedOperations } from "../wire/reserved-operations.ts";
import type { ExecuteRequest } from "../wire/wire-messages.ts";
import type { CallChannel } from "./call-channel.ts";
import { readOperationValues } from "./read-operation-values.ts";
import { parseObject, readConfigValues } from "./read-values.ts";
import { UnknownOperationError } from "./wire-error.ts";

export type CallDeps = { definition: ConnectorDefinition; version: AppVersion };

/** Runs a call of the host, with the same functions as for a built-in connector. */
export async function answerCall(
  { definition, version }: CallDeps,
  request: ExecuteRequest,
  channel: Omit<CallChannel, "sendResult" | "sendError">,
): Promise<unknown> {
  const { operation } = request;
  if (version === 2 && operation === reservedOperations.generate) {
    return await runGenerator(definition, String(parseObject(request.argsJson).field));
  }
  const config = readConfigValues(version, definition.configFields, request);
  const policy = readPolicy(definition.configFields, config, request);
  let known: string | undefined;
  const pool = () => (known ??= toPool(request));
  const tools = createTools(channel, { policy, config, pool, trace: readTrace(request) });
  if (version === 2 && operation === reservedOperations.health) {
    return await runHealth(definition, { config }, tools);
  }
  if (version === 2 && operation === reservedOperations.lookup) {
    const { source, query } = parseObject(request.argsJson);
    const values = { config, source: String(source), query: String(query) };
    return await runLookup(definition, values, tools);
  }
  const spec = definition.operations.get(operation);
  if (spec === undefined) {
    const nearest = suggest(operation, definition.operations.keys());
    throw new UnknownOperationError(
      `"${definition.key}" has no operation "${operation}".${nearest}`,
    );
  }
  const given = readOperationValues(version, definition, spec, request);
  return await runOperation(
    definition,
    operation,
    { config, ...given },
    {
      ...tools,
      progress: channel.progress,
      ...(request.idempotencyKey && { idempotencyKey: request.idempotencyKey }),
    },
  );
}

type CallSettings = {
  policy: OutboundPolicy;
  config: ValuesByKey;
  /** Of the kept connections. */
  pool(): string;
  trace: TraceContext | undefined;
};

function createTools(
  {
    signal,
    mask,
    maskIgnoreCase,
    log,
    recordHttpStatus,
  }: Omit<CallChannel, "sendResult" | "sendError">,
  { policy, config, pool, trace }: CallSettings,
): CallTools {
  return {
    ...(trace !== undefined && { trace }),
    signal,
    mask,
    maskIgnoreCase,
    log,
    async fetch(input, init) {
      // Created on first use, because many calls need no requests.
      const guardedFetch = createGuardedFetch({ policy, signal, pool: pool() });
      const response = await guardedFetch(input, withTraceContext({ trace, config }, input, init));
      recordHttpStatus(response.status);
      return response;
    },
  };
}

/** The host does not name the row. Its configuration, with its credentials, stands for it. */
function toPool({ configJson, creds }: ExecuteRequest): string {
  const hash = createHash("sha256").update(configJson ?? "");
  return hash
    .update("\0")
    .update(JSON.stringify(creds ?? {}))
    .digest("base64");
}

function readTrace({ traceparent, tracestate }: ExecuteRequest): TraceContext | undefined {
  if (!traceparent) return undefined;
  return { traceparent, ...(tracestate && { tracestate }) };
}

/** A host of version 1 sends no policy. Then the addresses saved in the row are allowed. */
function readPolicy(
  fields: readonly FieldSpec[],
  config: ValuesByKey,
  request: ExecuteRequest,
): OutboundPolicy {
  const { savedHosts, allow, onlyHosts } = parseObject(request.outboundPolicyJson);
  if (!isTexts(savedHosts) || !isTexts(allow) || findAllowFault(allow) !== null) {
    return { savedHosts: findSavedHosts(fields, config), allow: [] };
  }
  return { savedHosts, allow, ...(isTexts(onlyHosts) && { onlyHosts }) };
}

function findSavedHosts(fields: readonly FieldSpec[], config: ValuesByKey): string[] {
  return fields
    .filter(({ widget }) => widget === "url")
    .map(({ key }) => config[key])
    .flatMap((url) => (typeof url === "string" && URL.canParse(url) ? [new URL(url).host] : []));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
