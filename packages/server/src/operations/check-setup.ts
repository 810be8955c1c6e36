import { HubError } from "../errors.ts";
import type { Target } from "./find-operation.ts";

/**
 * Throws `needs_setup` with the fields that an admin still has to fill in, and `bad_configuration`
 * when the row's secrets cannot be opened.
 */
export function checkSetup(target: Target): void {
  const { missing } = target.row.config();
  // An operation behind a settings widget is there to find the missing values.
  if (target.operation.configOnly || missing.length === 0) return;
  const names = missing.map((field) => field.key);
  throw new HubError(
    "needs_setup",
    `"${target.row.label}" is not set up yet: an admin has to set ${names.join(", ")}.`,
    { detail: { missing: names } },
  );
}
