import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeCallScript } from "./pgbench.ts";

test("The script has the three statements of a call, and no variable but the random number", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-pgbench-"));
  const path = await writeCallScript(folder, new Uint8Array(32).fill(7));
  const [first, ...statements] = (await Bun.file(path).text()).split("\n");
  await rm(folder, { recursive: true });
  expect(first).toMatch(/^\\set number random\(/);
  expect(statements.map((statement) => statement.split(" ")[0])).toEqual([
    "select",
    "with",
    "with",
  ]);
  expect(statements[0]).toContain(`decode('${"07".repeat(32)}', 'hex')`);
  const variables =
    statements
      .join("\n")
      .replaceAll("::", "")
      .match(/:[A-Za-z_]\w*/g) ?? [];
  expect(new Set(variables)).toEqual(new Set([":number"]));
  expect(statements.join("\n")).not.toMatch(/\$\d/);
});
