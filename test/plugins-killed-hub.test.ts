/** What a hub leaves behind that is killed while its plugin works. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "../packages/server/src/lib/testing/wait-until.ts";
import {
  type BuiltFixture,
  buildFixture,
} from "../packages/server/src/plugins/testing/build-fixture.ts";
import { writeFixtureFolder } from "../packages/server/src/plugins/testing/write-fixture-folder.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { createTestDatabase } from "./support/test-database.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

let fixture: BuiltFixture;
let folder: string;
beforeAll(async () => {
  fixture = buildFixture();
  folder = await mkdtemp(join(tmpdir(), "hubt-"));
});
afterAll(async () => {
  fixture.remove();
  await rm(folder, { recursive: true, force: true });
});

test("kill -9 of `hub serve` ends its plugin, and the next start clears what it left", async () => {
  const dataDir = join(folder, "data");
  await using databases = new AsyncDisposableStack();
  databases.defer(await createTestDatabase(dataDir));
  const options = { dataDir, env: { TMPDIR: folder } };
  const listFolders = async () => (await readdir(folder)).filter((name) => /^hubp-/.test(name));
  let token: string;
  let id: string;
  let pid: number;
  {
    await using hub = await startHub(options);
    await hub.cli("plugin", "install", await writeFixtureFolder(fixture, join(folder, "source")));
    id = await addRow(hub);
    token = hub.adminToken();
    await using client = await connectHttp(hub.url, token);
    pid = await waitFor(async () => {
      const { isError, value } = await client.execute(`conn:${id}/look_around`);
      return isError ? null : Number(value.pid);
    });
    expect(isRunning(pid)).toBe(true);
    const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
    const hanging = client.execute(`conn:${id}/hang`, {}, { onprogress: () => resolve() });
    hanging.catch(() => {});
    await isUnderWay;
    await hub.kill();
    await waitFor(() => !isRunning(pid));
  }
  const left = await listFolders();
  expect(left).toHaveLength(1);
  await using hub = await startHub(options);
  await using client = await connectHttp(hub.url, token);
  const { value } = await client.execute(`conn:${id}/look_around`);
  expect(value.pid).not.toBe(pid);
  expect(await listFolders()).not.toContain(left[0]);
  expect(await hub.stop()).toBe(0);
  expect(isRunning(value.pid)).toBe(false);
  expect(await listFolders()).toEqual([]);
});

async function addRow(hub: RunningHub): Promise<string> {
  const row = ["row", "add", "fixture", "--label", "F", "--tag", "everyone", "--json"];
  const { id } = (await hub.cli(...row, "--set", "base_url=https://x.test")).json<{ id: string }>();
  return id;
}
