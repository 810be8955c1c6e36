import type { Json } from "@hub/connector";
import type { Operation } from "../../connectors/connector-port.ts";
import type { Target } from "../catalogue/find-operation.ts";
import { toSentName } from "../catalogue/sent-name.ts";
import { parseToolId } from "../catalogue/tool-id.ts";
import type { ExecuteRequest } from "../operations.ts";
import { describeWidget } from "../questions/widget-call.ts";
import type { CallDescription } from "./recording.ts";

/** What the record of a call has of its target and its request. */
export type RecordedRequest = Omit<CallDescription, "connectorId" | "operationKey">;

/** The audit row until the tool is found. It has no params, because they could contain secrets. */
export function describeUnknown(request: Pick<ExecuteRequest, "toolId" | "named" | "readsOnly">) {
  const address = parseToolId(request.toolId);
  return {
    connectorId: address?.rowId ?? null,
    rowLabel: null,
    operationKey: address?.operationKey ?? toMetaTool(request),
    request: address === null ? { ...toSentName(request), ...unfound } : unfound,
    isRequestPartial: true,
    metaTool: toMetaTool(request),
  };
}

const unfound: Readonly<Record<string, Json>> = {
  _omitted: "The call was refused before its tool was found, so its params were not stored.",
};

/** The meta-tool by which clients send a request. */
export function toMetaTool({ readsOnly }: Pick<ExecuteRequest, "readsOnly">): string {
  return readsOnly ? "hub_read" : "hub_execute";
}

/** The parts of the request that may be stored. `hidden` are the keys of params that may not. */
export function describeRequest(
  target: Target,
  { params, widget }: Pick<ExecuteRequest, "params" | "widget">,
  hidden: readonly string[] = [],
): RecordedRequest {
  const known = keepKnown(target.operation, params, hidden);
  const more = widget ? describeWidget(target, widget) : null;
  return {
    rowLabel: target.row.label,
    connectorKey: target.connector.key,
    request: more === null ? known : { ...known, ...more },
    isRequestPartial: known !== params || more !== null,
    inputFields: target.operation.inputFields,
  };
}

/** A misspelt name may be meant for a secret field, so its value is not stored. */
function keepKnown(
  { inputFields, fromRow }: Operation,
  params: Record<string, unknown>,
  hidden: readonly string[],
): Record<string, Json> {
  const known = new Set(inputFields.map((field) => field.key));
  for (const key of hidden) known.delete(key);
  // A schema may allow names that it does not list.
  const hasMore = fromRow?.hasOtherParams() === true;
  const isKnown = ([name]: [string, unknown]) =>
    known.has(name) || (hasMore && !hidden.includes(name));
  const entries = Object.entries(params);
  if (entries.every(isKnown)) return params;
  return {
    ...Object.fromEntries(entries.filter(isKnown)),
    ...omit(
      "Not stored: values of unknown params, and secrets with text around a token that did not open.",
    ),
  };
}

function omit(reason: string): Record<string, Json> {
  return { _omitted: reason };
}
