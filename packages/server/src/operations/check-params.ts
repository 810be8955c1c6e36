import { checkParams as checkFields } from "@hub/connector";
import { toInvalidParams } from "../errors.ts";
import type { Target } from "./find-operation.ts";
import type { OpenedParams } from "./open-params.ts";

/** Returns the params as typed values of the operation's input fields. Throws `invalid_params`. */
export function checkParams(
  target: Target,
  { params, opened }: OpenedParams,
): Record<string, unknown> {
  const { values, issues } = checkFields(target.operation.inputFields, params, { opened });
  if (issues.length === 0) return values;
  throw toInvalidParams(issues);
}
