/**
 * Protects: while the disk is full or the database is locked by another program, calls, webhooks and events of
 * channels fail with what to do, nothing runs unrecorded or is half accepted, and the hub and its workflow runs go on by
 * themselves when the fault ends.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readAudit } from "./support/audit.ts";
import { toProgramCommand } from "./support/compile-programs.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { endWithRunner } from "./support/end-with-runner.ts";
import { openFaultyChannels } from "./support/faulty-channels.ts";
import { openFaultyFlow } from "./support/faulty-flow.ts";
import { findFreePort } from "./support/free-port.ts";
import { readAnswer, type ToolAnswer } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { toHubEnv } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";
import type { Message } from "./support/stdio-session.ts";
import { describeOnSqlite, testOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const env = {
  FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R",
  HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
  // The disk is to become full.
  HUB_DISK_FREE_BYTES_MIN: "0",
};

/** A hub with a row whose operation counts its runs. */
async function openDiskHub(dataDir?: string) {
  const hub = await startHub({ main, env, ...(dataDir !== undefined && { dataDir }) });
  const token = hub.adminToken();
  const added = await hub.cli(
    ...["row", "add", "fixture", "--label", "Lab", "--secret-env", "secret=FIXTURE_SECRET"],
    "--json",
  );
  const toolId = `conn:${added.json<{ id: string }>().id}/tally`;
  // One JSON document however long it takes.
  const headers = { accept: "application/json" };
  const post = async (message: unknown): Promise<Message> =>
    JSON.parse(await (await postRpc(hub.url, token, message, headers)).text());
  const call = async (name: string, args = {}): Promise<ToolAnswer> =>
    readAnswer((await post(toToolCall(name, args))).result);
  return {
    hub,
    tally: () => call("hub_execute", { tool_id: toolId }),
    list: () => call("hub_list"),
    ping: () => post({ jsonrpc: "2.0", id: 1, method: "ping" }),
    /** Rows of runs that began; those of calls that did not begin are errors, where there are any. */
    begun: () =>
      readAudit(hub.dataDir).filter(
        ({ operation_key, status }) => operation_key === "tally" && status !== "error",
      ),
  };
}

type DiskHub = Awaited<ReturnType<typeof openDiskHub>>;

/** No run went unrecorded: as many rows as the operation says that it ran, the last call included. */
async function expectAllRecorded({ tally, begun }: DiskHub): Promise<void> {
  const { isError, value } = await tally();
  expect(isError).toBeFalse();
  await waitFor(() => begun().every(({ status }) => status !== "running"));
  expect(begun().map(({ status }) => status)).toEqual(Array(value.tallied).fill("success"));
}

describeOnSqlite("databaseFile", "a disk that is full", () => {
  const owned = new AsyncDisposableStack();
  let mount: string;

  const canMount = process.platform === "linux" && process.getuid?.() === 0;
  const skipReason = canMount ? "" : " (skipped: only root can mount a small disk, and on Linux)";
  beforeAll(async () => {
    if (!canMount) return;
    mount = join(owned.use(await createDataFolder()).path, "disk");
    await mkdir(mount);
    const command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount];
    const { exitCode, stderr } = Bun.spawnSync(command);
    if (exitCode !== 0) throw new Error(stderr.toString());
    owned.defer(() => void Bun.spawnSync(["umount", mount]));
  });
  afterAll(() => owned.disposeAsync());

  test.skipIf(!canMount)(
    `fails calls with what to do, runs nothing unrecorded, and is survived${skipReason}`,
    async () => {
      const diskHub = await openDiskHub(mount);
      const { hub, tally, list, ping } = diskHub;
      await using _ = hub;
      await using flow = await openFaultyFlow(hub);
      await flow.startOne();
      await using channels = await openFaultyChannels(hub);
      channels.say(100);
      expect(await tally()).toMatchObject({ isError: false, value: { tallied: 1 } });

      // It is said before the disk is full: in the log at start, and to who asks.
      await waitFor(() => hub.stderr().includes("The disk is almost full"));
      expect(hub.stderr()).toContain("HUB_AUDIT_BYTES_MAX");
      const examined = await hub.tryCli(["doctor"]);
      expect(examined.exitCode).toBe(1);
      expect(examined.stdout).toMatch(/MiB free on the disk of .*Free space on/);

      const filler = join(mount, "filler");
      fillDisk(filler);
      // The database's log has space of its own for some calls.
      await waitFor(async () => (await tally()).isError);
      const refusals = await Promise.all([
        ...Array.from({ length: 20 }, tally),
        ...Array.from({ length: 5 }, list),
      ]);
      for (const { isError, value } of refusals) {
        expect([isError, value]).toEqual([
          true,
          { ...value, code: "unavailable", error: expect.stringContaining("its disk is full") },
        ]);
      }
      await waitFor(async () => !(await flow.send()));
      for (let count = 0; count < 30; count += 1) channels.say(20_000);
      await channels.expectFailure("its disk is full");
      flow.release();
      expect(await ping()).toMatchObject({ result: {} });
      expect((await fetch(`${hub.url}/health`)).status).toBe(200);
      const command = await hub.tryCli(["row", "list"]);
      expect([command.exitCode, command.stdout]).toEqual([1, ""]);
      expect(command.stderr).toContain("its disk is full");

      rmSync(filler);
      await flow.expectAllDone();
      await channels.expectAllDone();
      await expectAllRecorded(diskHub);
      expect((await list()).isError).toBeFalse();
      expect(await hub.stop()).toBe(0);
      using db = new Database(join(mount, "hub.sqlite"), { readonly: true });
      expect(db.query("pragma integrity_check").values()).toEqual([["ok"]]);
    },
  );

  test.skipIf(!canMount)(
    `loses lines of the log that is on it, and the hub goes on${skipReason}`,
    async () => {
      const dataDir = join(mount, "logged");
      await mkdir(dataDir);
      const port = await findFreePort();
      const logFile = join(mount, "hub.log");
      const log = openSync(logFile, "a");
      await using child = Bun.spawn([...toProgramCommand(main, {}), "serve"], {
        env: toHubEnv({ main, dataDir, env: { ...env, HUB_PORT: String(port) } }),
        stdio: ["ignore", log, log],
      });
      endWithRunner(child);
      closeSync(log);
      const url = `http://127.0.0.1:${port}`;
      const readStatus = (path: string, headers = {}) =>
        fetch(url + path, { method: "POST", headers }).then(
          ({ status }) => status,
          () => null,
        );
      // Printed last: a first start that has no space for its admin ends.
      await waitFor(async () => (await Bun.file(logFile).text()).includes("Hub is listening"));
      expect(await readStatus("/mcp")).toBe(401);

      const filler = join(mount, "filler");
      fillDisk(filler);
      // The last page of the file has space.
      fillDisk(logFile);
      // The first refusal of each kind writes a line.
      expect(await readStatus("/mcp", { host: "other.example" })).toBe(403);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(child.exitCode).toBeNull();

      rmSync(filler);
      expect(await readStatus("/nowhere")).toBe(404);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      const lines = (await Bun.file(logFile).text()).replaceAll("\0", "").split("\n");
      expect(lines.some((line) => line.includes('"lost_lines":1'))).toBeTrue();
    },
  );

  function fillDisk(path: string): void {
    const file = openSync(path, "a");
    try {
      for (let bytes = 65_536; bytes > 0; bytes = Math.floor(bytes / 2)) {
        try {
          for (;;) writeSync(file, Buffer.alloc(bytes));
        } catch (err) {
          if (!(err instanceof Error && "code" in err && err.code === "ENOSPC")) throw err;
        }
      }
    } finally {
      closeSync(file);
    }
  }
});

testOnSqlite(
  "databaseFile",
  "a database that another program keeps locked for longer than the hub waits fails calls, and is survived",
  async () => {
    const diskHub = await openDiskHub();
    const { hub, tally, list, ping } = diskHub;
    await using _ = hub;
    await using flow = await openFaultyFlow(hub);
    await flow.startOne();
    expect(await tally()).toMatchObject({ isError: false, value: { tallied: 1 } });

    using other = new Database(join(hub.dataDir, "hub.sqlite"));
    other.run("begin immediate");
    flow.release();
    const refused = [tally(), tally(), list()];
    const webhook = flow.send();
    const command = hub.tryCli(["row", "list"]);
    // Requests that need no row are served meanwhile.
    const first = await Promise.race([ping(), ...refused]);
    expect(first).toMatchObject({ result: {} });
    for (const { isError, value } of await Promise.all(refused)) {
      expect([isError, value.code]).toEqual([true, "unavailable"]);
      expect(value.error).toContain("another program keeps its database locked");
    }
    expect(await webhook).toBe(false);
    expect((await command).exitCode).toBe(1);
    expect((await command).stderr).toContain("another program keeps its database locked");
    other.run("rollback");
    await flow.expectAllDone();
    await expectAllRecorded(diskHub);
    expect((await list()).isError).toBeFalse();
  },
);
