/**
 * Runs the black-box tests with hubs on PostgreSQL: `bun test/oracles/test-on-postgres.ts [FILE…]`, and the unit tests of
 * accounts and of calls that wait. Uses the server at `HUB_TEST_DATABASE_URL`, or starts the one of the package that
 * `test/oracles` installs.
 */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { endWithRunner } from "../support/end-with-runner.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { toTestProcess } from "./support/black-box-tests.ts";

const root = resolve(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const files = given.length > 0 ? given : listTests();

process.exitCode = await runTests();

async function runTests(): Promise<number> {
  await using server = await startPostgres();
  const tests = await toTestProcess(server, files);
  const child = Bun.spawn({ ...tests, stdio: ["ignore", "inherit", "inherit"] });
  endWithRunner(child);
  return await child.exited;
}

/** Folders whose unit tests open their stores by `openTestStore`, and are about what the database decides. */
const unitFolders = [
  "packages/server/src/operations/pending",
  "packages/server/src/services/accounts",
];

function listTests(): string[] {
  const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  const isOwn = (name: string) => name.endsWith(".test.ts") && !name.startsWith("oracles/");
  return [...names.filter(isOwn).map((name) => join("test", name)), ...unitFolders];
}
