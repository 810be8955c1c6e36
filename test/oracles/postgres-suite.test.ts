/** Black-box tests of access, of changes and of the audit, once more with hubs on PostgreSQL. */
import { expect, test } from "bun:test";
import { toTestProcess } from "./support/black-box-tests.ts";
import { startPostgres } from "./support/postgres-server.ts";

const files = ["access-ends", "changes-take-effect", "every-call-recorded"];

test("Tests of access, changes and the audit pass on PostgreSQL too", async () => {
  await using server = await startPostgres();
  const paths = files.map((name) => `test/${name}.test.ts`);
  const tests = await toTestProcess(server, paths);
  const child = Bun.spawn({ ...tests, stdio: ["ignore", "pipe", "pipe"] });
  const [output, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) console.error(output);
  const passed = Number(/^ *(\d+) pass$/m.exec(output)?.[1]);
  expect([exitCode, passed > 20]).toEqual([0, true]);
}, 180_000);
