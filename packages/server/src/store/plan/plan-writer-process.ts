/** Stores the plan on standard input in the folder that the last argument names, and prints a failure. See `open-plan-writer.ts`. */
import { Kysely } from "kysely";
import { toHubError } from "../../errors.ts";
import { connectionKey } from "../database/connection.ts";
import type { Tables } from "../database/tables.ts";
import { createSqliteConnection } from "../sqlite/connection-sqlite.ts";
import { createSqliteDialect } from "../sqlite/dialect-sqlite.ts";
import { createKeptStatements } from "../sqlite/kept-statements.ts";
import { openWriter } from "../sqlite/sqlite-connections.ts";
import { createWriterLock } from "../sqlite/writer-lock.ts";
import { fromPlanBytes } from "./plan-bytes.ts";
import { storePlan } from "./plan-changes.ts";

const dataDir = process.argv.at(-1) ?? "";
const busyWaitMsMax = 5_000;

try {
  const plan = fromPlanBytes(await Bun.stdin.bytes());
  // Without a plan, the command has ended.
  if (plan !== null) {
    await using resources = new AsyncDisposableStack();
    const database = await openWriter(dataDir, busyWaitMsMax);
    resources.defer(() => database.close(true));
    const lock = createWriterLock();
    const statements = resources.use(createKeptStatements(database));
    const deps = { database, lock, busyWaitMsMax, statements };
    const dialect = createSqliteDialect({ ...deps, onCommit: () => {} });
    const kysely = new Kysely<Tables>({ dialect });
    resources.defer(() => kysely.destroy());
    const connection = createSqliteConnection({ dataDir, database, kysely, lock });
    await storePlan({ [connectionKey]: connection }, plan);
  }
} catch (failure) {
  const { code, message, detail, localMessage } = toHubError(failure);
  process.stdout.write(JSON.stringify({ code, message, detail, localMessage }));
}
