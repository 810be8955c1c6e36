import type { FieldSpec } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { Target } from "./find-operation.ts";

/**
 * Throws `needs_setup` with the fields that an admin must set, or `bad_configuration` if the row's
 * secrets cannot be decrypted.
 */
export function checkSetup(target: Target): void {
  const { missing } = target.row.config();
  // A settings widget may run its operations to find the missing values.
  if (target.operation.configOnly || missing.length === 0) return;
  throw toMissingSetup(target.row.label, missing);
}

export function toMissingSetup(label: string, missing: readonly FieldSpec[]): HubError {
  const names = missing.map((field) => field.key);
  return new HubError(
    "needs_setup",
    `"${label}" is not set up yet. Ask an admin to set ${names.join(", ")}.`,
    { detail: { missing: names } },
  );
}
