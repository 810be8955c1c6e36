/**
 * Black-box tests with hubs on PostgreSQL: those of access, changes, calls, the audit, plugins and
 * secrets at rest that find most in a minute. `npm run test:postgres` runs all. Access that ends, starts
 * and stops are the subject of postgres-isolation, postgres-faults and replicas.
 */
import { expect, test } from "bun:test";
import { toTestProcess } from "./support/black-box-tests.ts";
import { startPostgres } from "./support/postgres-server.ts";

const files = [
  // Access, and changes that take effect with the next call, also in another process.
  ...["changes-take-effect", "two-processes", "api/access"],
  ...["api/rows", "api/settings"],
  // Calls and their records, with kills.
  ...["every-call-recorded", "row-tokens", "wiring"],
  // Plugins.
  ...["plugin-install", "plugins-killed-hub"],
  // All that the database contains.
  "no-secret-at-rest",
];

test("Tests of access, changes, calls, plugins and secrets pass on PostgreSQL too", async () => {
  await using server = await startPostgres();
  const paths = files.map((name) => `test/${name}.test.ts`);
  const tests = await toTestProcess(server, paths);
  const child = Bun.spawn({ ...tests, stdio: ["ignore", "pipe", "pipe"] });
  const [output, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) console.error(output);
  const passed = Number(/^ *(\d+) pass$/m.exec(output)?.[1]);
  expect([exitCode, passed > 1000]).toEqual([0, true]);
}, 300_000);
