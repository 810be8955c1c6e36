/** Commands never answer from another hub than the one that is meant. */
import { expect, setDefaultTimeout } from "bun:test";
import { readdir } from "node:fs/promises";
import { createDataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";
import { startHub } from "../support/start-hub.ts";
import { testOnSqlite } from "../support/test-on-sqlite.ts";

setDefaultTimeout(60_000);

const key = { HUB_ENC_KEY: "ab".repeat(32) };
const commands = [
  ["user", "list"],
  ["user", "add", "ada@example.com"],
  ["row", "add", "http", "--label", "Tracker", "--set", "base_url=https://api.example.com"],
  ["setting", "set", "HUB_AUDIT_RETENTION_DAYS", "30"],
  ["keys", "adopt"],
  ["export"],
  ["apply", "-", "--dry-run"],
];
const stdin = "hub_file: 1\n";

testOnSqlite(
  "databaseFile",
  "Commands refuse a folder without a hub, and create nothing",
  async () => {
    await using folder = await createDataFolder();
    for (const env of [{}, key]) {
      for (const args of commands) {
        const options = { dataDir: folder.path, env, isEmpty: true, stdin };
        const { exitCode, stdout, stderr } = await runCli(options, [...args, "--json"]);
        expect([args, exitCode, stdout]).toEqual([args, 1, ""]);
        expect(JSON.parse(stderr)).toMatchObject({ code: "not_found", data_dir: folder.path });
      }
    }
    const doctor = await runCli({ dataDir: folder.path, isEmpty: true }, ["doctor"]);
    expect([doctor.exitCode, doctor.stdout]).toEqual([1, expect.stringContaining("has no hub")]);
    expect(await readdir(folder.path)).toEqual([]);
  },
);

testOnSqlite(
  "databaseFile",
  "Commands without the key of the hub are refused, and make no key file",
  async () => {
    await using folder = await createDataFolder();
    const options = { dataDir: folder.path };
    expect((await runCli({ ...options, env: key }, ["user", "list"])).exitCode).toBe(0);
    for (const args of commands.filter(([, verb]) => verb !== "adopt")) {
      const { exitCode, stderr } = await runCli({ ...options, stdin }, args);
      expect([args, exitCode, stderr]).toEqual([args, 1, expect.stringContaining("HUB_ENC_KEY")]);
    }
    expect(await readdir(folder.path)).not.toContain("keys.json");
  },
);

testOnSqlite(
  "databaseFile",
  "Commands with another key than those of the key file are refused, and record no key",
  async () => {
    await using folder = await createDataFolder();
    const options = { dataDir: folder.path };
    await (await startHub(options)).stop();
    for (const args of commands.filter(([, verb]) => verb !== "adopt")) {
      const { exitCode, stderr } = await runCli({ ...options, env: key, stdin }, args);
      expect([args, exitCode, stderr]).toEqual([
        args,
        1,
        expect.stringContaining("HUB_ENC_KEY has no key of the key file"),
      ]);
    }
    const { stdout } = await runCli(options, ["keys", "env", "--show"]);
    const own = /[0-9a-f]{64}/.exec(stdout)?.[0] ?? "";
    const env = { HUB_ENC_KEY: `${key.HUB_ENC_KEY},${own}` };
    expect((await runCli({ ...options, env }, ["user", "list"])).exitCode).toBe(0);
  },
);
