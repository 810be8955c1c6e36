import { SQL } from "bun";
import { HubError } from "../../errors.ts";
import type { AddressFault } from "./connections/find-address-fault.ts";

/** Whether a transaction failed because of another one or of a migration, so that it can run again from its begin. */
export function isConflict(err: unknown): boolean {
  const cause = err instanceof HubError ? err.cause : err;
  const state = findState(cause);
  return state === "40001" || state === "40P01" || isStalePlan(cause);
}

/** A statement was prepared before a migration. Outside of a transaction, the client prepares it anew by itself. */
function isStalePlan(err: unknown): boolean {
  return findState(err) === "0A000" && err instanceof Error && err.message.includes("cached plan");
}

/** Whether a statement waited too long for a lock. */
export function isLockTimeout(err: unknown): boolean {
  return findState(err instanceof HubError ? err.cause : err) === "55P03";
}

/** Whether only one statement failed because of its values. */
export function isFaultOfStatement(err: unknown): boolean {
  // Class 22: data exception. Class 23: integrity constraint violation.
  return /^2[23]/.test(findState(err) ?? "");
}

/**
 * Converts a failure of the first connection: an address that cannot work stops the start with its
 * reason. Such a failure is not kept as the cause, because some contain the whole address.
 */
export function toStartError(failure: unknown): unknown {
  const err = failure instanceof HubError ? (failure.cause ?? failure) : failure;
  if (isOfProxy(err)) return refuseProxy();
  if (!(err instanceof Error) || !isOfAddress(err)) return toStoreError(failure);
  return new HubError(
    "bad_configuration",
    "PostgreSQL refuses the hub. An admin must check HUB_DATABASE_URL.",
    {
      localMessage: `The hub cannot use the database in HUB_DATABASE_URL: ${err.message}. ${adviseOnAddress(err)}`,
    },
  );
}

/**
 * Converts a database failure to an error that says what to do. It names no address, because the
 * message may reach any client. Returns other errors unchanged.
 */
export function toStoreError(err: unknown): unknown {
  const state = findState(err);
  if (isOfConnection(err)) {
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
  if (isConflict(err)) {
    return new HubError(
      "conflict",
      "Others change the same things at this moment. Nothing was saved. Try again.",
      { cause: err },
    );
  }
  if (isLockTimeout(err)) {
    return new HubError(
      "unavailable",
      "Another session of the hub's database holds what this needs. Nothing was saved. Try again in a moment.",
      { cause: err },
    );
  }
  // Class 53: insufficient resources.
  if (state?.startsWith("53")) {
    return new HubError(
      "unavailable",
      "The hub's database has no free disk, memory or connection. Try again later, and tell an admin.",
      { cause: err },
    );
  }
  return err;
}

/** For a proxy between the hub and PostgreSQL that does not keep sessions. */
export function refuseProxy(): HubError {
  return new HubError(
    "bad_configuration",
    "HUB_DATABASE_URL names a proxy, such as PgBouncer, that does not keep the sessions of PostgreSQL. The hub's locks need them. Connect to PostgreSQL itself.",
  );
}

/** PgBouncer refuses settings of a session. Its prepared statements get lost, or meet others. */
function isOfProxy(err: unknown): boolean {
  if (!(err instanceof SQL.PostgresError)) return false;
  const state = findState(err);
  return (
    state === "26000" || state === "42P05" || /unsupported startup parameter/.test(err.message)
  );
}

/** Adds to a failure of the first connection what its address shows. */
export function toAddressError(
  failure: unknown,
  fault: AddressFault | null,
  place: string,
): unknown {
  if (!(failure instanceof HubError) || failure.code !== "unavailable" || fault === null) {
    return failure;
  }
  if (fault === "other program") {
    return new HubError(
      "bad_configuration",
      "The hub's database is not PostgreSQL. An admin must check HUB_DATABASE_URL.",
      {
        localMessage: `The program at ${place} is not PostgreSQL. Check the host and the port in HUB_DATABASE_URL.`,
      },
    );
  }
  const reason = fault === "refused" ? "nothing listens there" : "its host name is unknown";
  return new HubError("unavailable", failure.message, {
    localMessage: `The hub cannot reach its database at ${place}: ${reason}. Check that PostgreSQL runs at the address in HUB_DATABASE_URL.`,
  });
}

function adviseOnAddress(err: Error): string {
  // Insufficient privilege: another user has created the database or its tables.
  if (findState(err) === "42501") return "The user of the address must own the database.";
  if (/not support SSL/.test(err.message)) {
    return "The address requires TLS by its sslmode. Turn on ssl in PostgreSQL, or change sslmode.";
  }
  return "Check this setting.";
}

/** Whether a first connection fails in this way until the address or the server changes. */
function isOfAddress(err: Error): boolean {
  if (isOfTls(err) || err instanceof TypeError || err instanceof URIError) return true;
  // Class 28: invalid authorization. 3D000: no such database. 42501: not the owner.
  return /^(?:28|3D|42501)/.test(findState(err) ?? "");
}

/**
 * Whether the connection fails, and not its statement. 08: connection exception. 57: the server stops, starts,
 * or has ended the statement or the connection, also because it was idle. 25P03, 25P04: it has ended a
 * transaction that was idle or took too long, as after a pause of this process. 25006: it has become a
 * read-only standby. 58: its system fails.
 */
function isOfConnection(err: unknown): boolean {
  if (isOfTls(err)) return true;
  if (!(err instanceof SQL.PostgresError)) return false;
  const state = findState(err);
  return state === null || /^(?:08|57|58|25006|25P03|25P04)/.test(state);
}

/** The client throws certificates' faults with their codes of OpenSSL. */
function isOfTls(err: unknown): boolean {
  return err instanceof Error && "code" in err && /CERT|TLS|SSL/.test(String(err.code));
}

/** The SQLSTATE; null for an error of the connection itself. */
function findState(err: unknown): string | null {
  if (!(err instanceof SQL.PostgresError)) return null;
  const { errno } = err;
  return typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno) ? errno : null;
}
