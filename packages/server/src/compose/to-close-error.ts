import { HubError } from "../errors.ts";

/** What several parts of the hub throw while they close is one failure, if it is the database. */
export function toCloseError(failure: unknown): unknown {
  const failures = listFailures(failure);
  if (!failures.every((each) => each instanceof HubError && each.code === "unavailable")) {
    return failure;
  }
  return new HubError(
    "unavailable",
    "The database did not answer while the hub stopped, so the hub ended without it. Another server marks the calls that it ran as cancelled, or this one when it starts again.",
  );
}

/** Stacks that are disposed chain their failures. */
function listFailures(failure: unknown): unknown[] {
  if (!(failure instanceof SuppressedError)) return [failure];
  return [...listFailures(failure.error), ...listFailures(failure.suppressed)];
}
