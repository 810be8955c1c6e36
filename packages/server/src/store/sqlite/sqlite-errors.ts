import { SQLiteError } from "bun:sqlite";
import { type ErrorCode, HubError } from "../../errors.ts";

/**
 * Whether another connection holds the needed lock. The statement had no effect and can be retried.
 */
export function isBusy(err: unknown): boolean {
  return hasCode(err, ["SQLITE_BUSY", "SQLITE_LOCKED"]);
}

/**
 * Whether a transaction failed because of another one, so that it can run again from its begin. The
 * failure may have been converted by `toStoreError`.
 */
export function isConflict(err: unknown): boolean {
  return isBusy(err instanceof HubError ? err.cause : err);
}

/** Whether only one statement failed, so that its transaction can continue. */
export function isFaultOfStatement(err: unknown): boolean {
  return (
    !(err instanceof SQLiteError) ||
    hasCode(err, ["SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_TOOBIG", "SQLITE_RANGE"])
  );
}

/**
 * Converts a database failure to an error that says what to do. It names no path, because the
 * message may reach any client. Returns other errors unchanged.
 */
export function toStoreError(err: unknown): unknown {
  const advice = advices.find(({ codes }) => hasCode(err, codes));
  if (advice === undefined) return err;
  return new HubError(advice.code, advice.message, { cause: err });
}

type Advice = { code: ErrorCode; codes: readonly string[]; message: string };

/** What passes when the disk has space or the lock is released is `unavailable`. */
const advices: readonly Advice[] = [
  {
    code: "unavailable",
    codes: ["SQLITE_FULL"],
    message:
      "The hub cannot save anything: its disk is full. Ask an admin to free space on the disk of its data folder, then try again.",
  },
  {
    code: "unavailable",
    codes: ["SQLITE_BUSY", "SQLITE_LOCKED"],
    message:
      "The hub cannot save anything: another program keeps its database locked. Ask an admin to stop that program (perhaps a backup or an open sqlite3 shell), then try again.",
  },
  {
    code: "unavailable",
    codes: ["SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"],
    message:
      "The hub cannot save anything: it cannot write to its database. Ask an admin to check the owner and mode of its data folder, then try again.",
  },
  {
    code: "unavailable",
    codes: ["SQLITE_IOERR"],
    message:
      "The hub cannot use its database: the disk reports errors. Ask an admin to check the disk of its data folder, then try again.",
  },
  {
    code: "internal",
    codes: ["SQLITE_CORRUPT", "SQLITE_NOTADB"],
    message:
      "The hub cannot use its database: the file is damaged. Ask an admin to stop the hub and restore its data folder from a backup.",
  },
];

/**
 * SQLite's extended codes start with the primary code: SQLITE_BUSY_SNAPSHOT, SQLITE_IOERR_WRITE.
 */
function hasCode(err: unknown, codes: readonly string[]): boolean {
  if (!(err instanceof SQLiteError)) return false;
  const { code } = err;
  return (
    code !== undefined && codes.some((plain) => code === plain || code.startsWith(`${plain}_`))
  );
}
