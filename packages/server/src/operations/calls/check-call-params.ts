import { checkParams as checkFields, type FieldSpec } from "@hub/connector";
import type { OperationFromRow } from "../../connectors/connector-port.ts";
import { toInvalidParams } from "../../errors.ts";
import type { Target } from "../catalogue/find-operation.ts";
import type { OpenedParams } from "./open-params.ts";

/** Returns the params as typed values of the operation's input fields. Throws `invalid_params`. */
export function checkParams(
  { operation }: Target,
  { params, opened }: OpenedParams,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const { inputFields, fromRow } = operation;
  if (fromRow !== undefined) return checkBySchema(inputFields, fromRow, params);
  const { values, issues } = checkFields(inputFields, params, { opened });
  if (issues.length === 0) return values;
  throw toInvalidParams(issues);
}

/** Nothing is added: what the caller leaves out, the outside system decides. */
async function checkBySchema(
  fields: readonly FieldSpec[],
  fromRow: OperationFromRow,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const values = { ...params };
  for (const field of fields) {
    const given = Object.hasOwn(values, field.key) ? values[field.key] : undefined;
    if (given === null && !field.required && field.base !== "json") delete values[field.key];
    if (typeof given === "string" && plainBases.has(field.base)) {
      // A model often writes a number or a boolean as text.
      const coerced = checkFields([field], { [field.key]: given }).values[field.key];
      if (coerced !== undefined) values[field.key] = coerced;
    }
  }
  const issue = await fromRow.check(values);
  if (issue === null) return values;
  throw toInvalidParams([issue]);
}

const plainBases: ReadonlySet<string> = new Set(["integer", "float", "boolean"]);
