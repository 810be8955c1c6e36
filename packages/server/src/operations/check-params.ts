import { checkParams as checkFields } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { Target } from "./find-operation.ts";

/** Params checked against the operation's input fields and typed; throws `invalid_params`. */
export function checkParams(
  target: Target,
  params: Record<string, unknown>,
): Record<string, unknown> {
  const { values, issues } = checkFields(target.operation.inputFields, params);
  if (issues.length === 0) return values;
  const list = issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ");
  throw new HubError("invalid_params", `Check the params and call again. ${list}`, {
    detail: { issues },
  });
}
