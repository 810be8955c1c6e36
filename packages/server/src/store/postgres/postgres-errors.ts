import { SQL } from "bun";
import { HubError } from "../../errors.ts";

/** Whether a transaction failed because of another one, so that it can run again from its begin. */
export function isConflict(err: unknown): boolean {
  const state = findState(err instanceof HubError ? err.cause : err);
  return state === "40001" || state === "40P01";
}

/** Whether only one statement failed because of its values. */
export function isFaultOfStatement(err: unknown): boolean {
  // Class 22: data exception. Class 23: integrity constraint violation.
  return /^2[23]/.test(findState(err) ?? "");
}

/** Converts a failure of the first connection: a wrong address stops the start with its reason. */
export function toStartError(err: unknown): unknown {
  const state = findState(err);
  // Class 28: invalid authorization. 3D000: no such database.
  if (!(err instanceof SQL.PostgresError) || !/^(?:28|3D)/.test(state ?? "")) {
    return toStoreError(err);
  }
  return new HubError(
    "bad_configuration",
    "PostgreSQL refuses the hub. An admin must check HUB_DATABASE_URL.",
    {
      cause: err,
      localMessage: `PostgreSQL refuses the hub: ${err.message}. Check HUB_DATABASE_URL.`,
    },
  );
}

/**
 * Converts a database failure to an error that says what to do. It names no address, because the
 * message may reach any client. Returns other errors unchanged.
 */
export function toStoreError(err: unknown): unknown {
  if (!(err instanceof SQL.PostgresError)) return err;
  const state = findState(err);
  if (state === null || isOfConnection(state)) {
    return new HubError(
      "unavailable",
      "The hub cannot reach its database. Try again in a moment. If it happens again, tell an admin.",
      {
        cause: err,
        localMessage:
          "The hub cannot reach its database. Check that PostgreSQL runs at the address in HUB_DATABASE_URL.",
      },
    );
  }
  // Class 53: insufficient resources.
  if (state.startsWith("53")) {
    return new HubError(
      "unavailable",
      "The hub's database has no free disk, memory or connection. Try again later, and tell an admin.",
      { cause: err },
    );
  }
  return err;
}

/** Class 08: connection exception. Class 57P: the server stops, starts or ended the connection. */
function isOfConnection(state: string): boolean {
  return state.startsWith("08") || state.startsWith("57P");
}

/** The SQLSTATE; null for an error of the connection itself. */
function findState(err: unknown): string | null {
  if (!(err instanceof SQL.PostgresError)) return null;
  const { errno } = err;
  return typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno) ? errno : null;
}
