/** Black-box tests of access, of changes and of the audit, once more with hubs on PostgreSQL. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { startPostgres } from "./support/postgres-server.ts";

const root = resolve(import.meta.dirname, "../..");
const files = ["access-ends", "changes-take-effect", "every-call-recorded"];

test("Tests of access, changes and the audit pass on PostgreSQL too", async () => {
  await using server = await startPostgres();
  const paths = files.map((name) => `test/${name}.test.ts`);
  const child = Bun.spawn([process.execPath, "test", ...paths, "--timeout=60000"], {
    cwd: root,
    env: { ...process.env, HUB_TEST_DATABASE_URL: server.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) console.error(output);
  const passed = Number(/^ *(\d+) pass$/m.exec(output)?.[1]);
  expect([exitCode, passed > 20]).toEqual([0, true]);
}, 180_000);
