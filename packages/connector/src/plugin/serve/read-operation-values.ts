import type { ConnectorDefinition, OperationSpec } from "../../connector-definition.ts";
import type { FieldSpec, ValuesByKey } from "../../fields/field-spec.ts";
import { toWidgetParams, type WidgetClick } from "../../fields/widget-params.ts";
import type { AppVersion } from "../wire/handshake.ts";
import type { ExecuteRequest } from "../wire/wire-messages.ts";
import { parseObject, readParamValues } from "./read-values.ts";

type OperationValues = { params: ValuesByKey; input: WidgetClick["inputs"] };

/** The values for an operation: its params, and the named elements of a widget that calls it. */
export function readOperationValues(
  version: AppVersion,
  definition: Pick<ConnectorDefinition, "configFields">,
  operation: OperationSpec,
  request: ExecuteRequest,
): OperationValues {
  const { inputFields: fields } = operation;
  const given = parseObject(request.argsJson);
  if (version === 2) {
    const input = request.widgetInputJson ?? new Uint8Array();
    return {
      params: readParamValues(2, fields, given),
      input: toTexts(parseObject(input)),
    };
  }
  const isRendered = definition.configFields.some(({ htmlOp }) => htmlOp === operation.key);
  if (!(operation.configOnly || operation.adminOnly || isRendered)) {
    return { params: readParamValues(1, fields, given), input: {} };
  }
  const { browser, ...input } = toTexts(given);
  const params = fromVersion1Widget(fields, { browser, input, isRendered });
  return { params: readParamValues(1, fields, params), input };
}

type Version1Widget = {
  browser: string | undefined;
  input: Record<string, string>;
  isRendered: boolean;
};

/**
 * A host of version 1 sends `{browser, <name>: <value>}`, and params by name in the same form. For
 * an operation that renders a widget, `browser` may be the field's current value instead of an
 * argument.
 */
function fromVersion1Widget(
  fields: readonly FieldSpec[],
  { browser, input, isRendered }: Version1Widget,
): ValuesByKey {
  const click = {
    inputs: input,
    ...(browser !== undefined && { browser }),
    ...(browser && !isRendered && { arg: browser }),
  };
  return toWidgetParams(fields, click);
}

function toTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
