import { describe, test } from "bun:test";
import { isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import { usesPostgres } from "./test-database.ts";

/** Why a test does not run when the hubs of the tests use PostgreSQL. */
const reasons = {
  databaseFile: "it is about the file of the SQLite database",
  keyFile: "it is about the key file; with PostgreSQL the keys are in HUB_ENC_KEY",
  keyRemoval: "the only key of HUB_ENC_KEY cannot be rotated without a restart",
  strictSessions: "HUB_MCP_SESSIONS=strict is refused with PostgreSQL",
  replacedSessionIds: "servers that share a database keep the session ids of other servers",
};

/** Defines a test that is skipped on PostgreSQL. Its title then contains the reason. */
export function testOnSqlite(
  reason: keyof typeof reasons,
  title: string,
  run: () => void | Promise<void>,
): void {
  test.skipIf(usesPostgres)(toTitle(title, reason), run);
}

/** The same for a test that only `.ci/nightly` runs. */
export const nightlyTestOnSqlite: typeof testOnSqlite = isWholeAmount ? testOnSqlite : () => {};

/** The same for a group of tests. */
export function describeOnSqlite(
  reason: keyof typeof reasons,
  title: string,
  define: () => void,
): void {
  describe.skipIf(usesPostgres)(toTitle(title, reason), define);
}

function toTitle(title: string, reason: keyof typeof reasons): string {
  return usesPostgres ? `${title} (skipped on PostgreSQL: ${reasons[reason]})` : title;
}
