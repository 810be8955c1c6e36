import { checkParams as checkFields } from "@hub/connector";
import { toInvalidParams } from "../errors.ts";
import type { Target } from "./find-operation.ts";

/** Params checked against the operation's input fields and typed; throws `invalid_params`. */
export function checkParams(
  target: Target,
  params: Record<string, unknown>,
): Record<string, unknown> {
  const { values, issues } = checkFields(target.operation.inputFields, params);
  if (issues.length === 0) return values;
  throw toInvalidParams(issues);
}
