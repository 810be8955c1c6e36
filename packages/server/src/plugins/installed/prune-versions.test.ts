import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toPluginFolders } from "./plugin-folders.ts";
import { pruneVersions } from "./prune-versions.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "prune-"));
});
afterAll(() => rm(dataDir, { recursive: true }));

test("The remains of a killed install are removed after an hour; a slow upload that still arrives is kept", async () => {
  const folders = toPluginFolders(dataDir);
  const now = 1_700_000_000_000;
  const ages = { killed: { begun: 120, written: 61 }, slow: { begun: 120, written: 1 } };
  for (const [id, { begun, written }] of Object.entries(ages)) {
    const staging = join(folders.staging, id);
    await mkdir(staging, { recursive: true });
    await writeFile(join(staging, "archive"), "PK");
    const toTime = (minutes: number) => new Date(now - minutes * 60_000);
    await utimes(join(staging, "archive"), toTime(written), toTime(written));
    await utimes(staging, toTime(begun), toTime(begun));
  }
  await pruneVersions(folders, now);
  expect(await readdir(folders.staging)).toEqual(["slow"]);
});
