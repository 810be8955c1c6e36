/**
 * Black-box tests with hubs on PostgreSQL: those whose subject is the database, such as records and
 * secrets at rest. `npm run test:postgres` runs all, also those of access, rows, settings and tokens,
 * which are above the store. Changes on several servers, plugins, starts and stops are the subject of
 * postgres-servers, postgres-plugins, postgres-isolation, postgres-faults and replicas.
 */
import { expect, test } from "bun:test";
import { amount } from "../../packages/server/src/lib/testing/amount.ts";
import { endWithRunner } from "../support/end-with-runner.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { toTestProcess } from "./support/black-box-tests.ts";

/** All that the database contains. */
const few = ["no-secret-at-rest"];
/** With the records of calls, the counts of a day, and those of an hour. */
const files = amount(few, [...few, "every-call-recorded", "daily-amounts", "guesses"]);

test("Tests of calls and secrets pass on PostgreSQL too", async () => {
  await using server = await startPostgres();
  const paths = files.map((name) => `test/${name}.test.ts`);
  const tests = await toTestProcess(server, paths);
  const child = Bun.spawn({ ...tests, stdio: ["ignore", "pipe", "pipe"] });
  endWithRunner(child);
  const [output, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) console.error(output);
  const passed = Number(/^ *(\d+) pass$/m.exec(output)?.[1]);
  expect([exitCode, passed > 5]).toEqual([0, true]);
}, 300_000);
