import { HubError } from "../errors.ts";
import type { Target } from "./find-operation.ts";

/** Throws `needs_setup` with the fields that an admin still has to fill in. */
export function checkSetup(target: Target): void {
  // An operation behind a settings widget is there to find the missing values.
  if (target.operation.configOnly) return;
  const { missing } = target.row.config();
  if (missing.length === 0) return;
  const names = missing.map((field) => field.key);
  throw new HubError(
    "needs_setup",
    `"${target.row.label}" is not set up yet: an admin has to set ${names.join(", ")}.`,
    { detail: { missing: names } },
  );
}
