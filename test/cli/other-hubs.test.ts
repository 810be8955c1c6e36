/** Commands never answer from another hub than the one that is meant. */
import { expect, setDefaultTimeout } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DoctorReport } from "@hub/contract/doctor.ts";
import { runCommand } from "../support/command-process.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { startHub } from "../support/start-hub.ts";
import { testOnSqlite } from "../support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

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
        const { exitCode, stdout, stderr } = await runCommand(options, [...args, "--json"]);
        expect([args, exitCode, stdout]).toEqual([args, 1, ""]);
        expect(JSON.parse(stderr)).toMatchObject({ code: "not_found", data_dir: folder.path });
      }
    }
    const doctor = await runCommand({ dataDir: folder.path, isEmpty: true }, ["doctor"]);
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
    expect((await runCommand({ ...options, env: key }, ["user", "list"])).exitCode).toBe(0);
    for (const args of commands.filter(([, verb]) => verb !== "adopt")) {
      const { exitCode, stderr } = await runCommand({ ...options, stdin }, args);
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
      const { exitCode, stderr } = await runCommand({ ...options, env: key, stdin }, args);
      expect([args, exitCode, stderr]).toEqual([
        args,
        1,
        expect.stringContaining("HUB_ENC_KEY has no key of the key file"),
      ]);
    }
    const { stdout } = await runCommand(options, ["keys", "env", "--show"]);
    const own = /[0-9a-f]{64}/.exec(stdout)?.[0] ?? "";
    const env = { HUB_ENC_KEY: `${key.HUB_ENC_KEY},${own}` };
    expect((await runCommand({ ...options, env }, ["user", "list"])).exitCode).toBe(0);
  },
);

testOnSqlite(
  "databaseFile",
  "Beside a server, commands that would use another database than it are refused and change nothing",
  async () => {
    await using folder = await createDataFolder();
    await using hub = await startHub({ dataDir: folder.path });
    const options = { dataDir: folder.path, stdin };
    // A server on PostgreSQL has left a mark here, beside the database that it had before.
    const serving = join(folder.path, "serving");
    const mark = await Bun.file(join(serving, `${hub.pid}.json`)).json();
    const onPostgres = { is_shared: true, database: "PostgreSQL at db.example:5432/hub" };
    const before = await (await runCommand(options, ["user", "list", "--json"])).stdout;
    await Bun.write(join(serving, `${hub.pid}.json`), JSON.stringify({ ...mark, ...onPostgres }));
    const more = [["backup", join(folder.path, "b.tar.gz")], ["migrate"], ["mcp", "serve"]];
    for (const args of [...commands, ...more]) {
      const { exitCode, stderr } = await runCommand(options, args);
      expect([args, exitCode, stderr]).toEqual([
        args,
        1,
        expect.stringMatching(/uses PostgreSQL at db\.example:5432\/hub, and.* service run -- /s),
      ]);
    }
    // Another hub's database, such as one that was restored from an old backup of another machine.
    await Bun.write(
      join(serving, `${hub.pid}.json`),
      JSON.stringify({ ...mark, hub_id: "another" }),
    );
    for (const args of commands.filter(([, verb]) => verb !== "adopt")) {
      const { exitCode, stderr } = await runCommand(options, args);
      expect([args, exitCode]).toEqual([args, 1]);
      expect(stderr).toContain("uses SQLite in");
    }
    await Bun.write(join(serving, `${hub.pid}.json`), JSON.stringify(mark));
    expect((await runCommand(options, ["user", "list", "--json"])).stdout).toBe(before);
  },
);

testOnSqlite(
  "databaseFile",
  "The doctor shows what the server beside it serves, and the settings that differ",
  async () => {
    await using folder = await createDataFolder();
    const env = { HUB_AUDIT_RETENTION_DAYS: "12", HUB_OIDC_CLIENT_SECRET: "very-secret" };
    const hub = await startHub({ dataDir: folder.path, env });
    const examine = async () => {
      const { stdout } = await runCommand({ dataDir: folder.path }, ["doctor", "--json"]);
      const { checks } = JSON.parse(stdout) as DoctorReport;
      return checks.find(({ name }) => name === "server settings");
    };
    const found = await examine();
    expect(found?.message).toContain(`process ${hub.pid} serves SQLite in ${folder.path}`);
    expect(found?.message).toContain("HUB_AUDIT_RETENTION_DAYS 12 (here 7)");
    const marked = await Bun.file(join(folder.path, "serving", `${hub.pid}.json`)).text();
    expect(marked).not.toContain("very-secret");
    await hub.stop();
    expect(await examine()).toBeUndefined();
  },
);
