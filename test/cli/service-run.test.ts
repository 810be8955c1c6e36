/** Protects: a command works on the hub of the installed service, with its settings and as the owner of its files. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { chown, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { runAsService } from "../../packages/cli/src/service/run-as-service.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";
import { describeOnSqlite } from "../support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
/** No user of this machine. */
const owner = 54_321;

/** A user's service with a hub, and a shell whose variables name other places. */
async function openService({ isFromSource = false } = {}) {
  const folder = await createDataFolder();
  const home = join(folder.path, "home");
  const dataDir = join(home, "data of the hub");
  const elsewhere = join(folder.path, "elsewhere");
  for (const path of [dataDir, elsewhere]) await mkdir(path, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), HUB_ENC_KEY: "0b".repeat(32) };
  const run = (...args: string[]) =>
    runCli({ dataDir: elsewhere, env, isEmpty: true, isFromSource }, args);
  return {
    folder,
    home,
    dataDir,
    elsewhere,
    run,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describeOnSqlite("databaseFile", "hub service run", () => {
  test.skipIf(!isLinux)(
    "an installation with a timer of backups that the hub has not written changes nothing",
    async () => {
      await using service = await openService();
      const units = join(service.home, ".config/systemd/user");
      await Bun.write(join(units, "hub-backup.timer"), "[Timer]\n");
      const args = ["--user", "--no-start", "--backups", "--data-dir", service.dataDir];
      const refused = await service.run("service", "install", ...args);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain("hub-backup.timer");
      expect(await readdir(units)).toEqual(["hub-backup.timer"]);
    },
  );

  test.skipIf(!isLinux)(
    "a command uses the settings of the service, and none of the shell",
    async () => {
      await using service = await openService();
      const { home, dataDir, run } = service;
      expect(
        (await run("service", "install", "--user", "--no-start", "--data-dir", dataDir)).exitCode,
      ).toBe(0);
      await layDatabase(dataDir);
      const settings = join(home, ".config/hub/hub.env");
      expect((await stat(settings)).mode & 0o777).toBe(0o600);
      await Bun.write(
        settings,
        "# settings\nHUB_AUDIT_RETENTION_DAYS='12'\nHUB_BASE_URL=https://hub.example.com\n",
      );
      const made = await run(
        "service",
        "run",
        "--user",
        "--",
        "user",
        "add",
        "ada@example.com",
        "--json",
      );
      expect(made, made.stderr).toMatchObject({ exitCode: 0 });
      expect(made.json()).toMatchObject({ email: "ada@example.com" });
      const examined = await run("service", "run", "--user", "--", "doctor");
      expect(examined.stdout).toContain("https://hub.example.com");
      expect(examined.stdout).toMatch(/HUB_AUDIT_RETENTION_DAYS +12/);
      expect(await readdir(service.elsewhere)).toEqual([]);
      const refused = await run(
        "service",
        "run",
        "--user",
        "--",
        "user",
        "show",
        "absent@example.com",
      );
      expect(refused.exitCode).toBe(1);
      await run("service", "install", "--user", "--no-start", "--data-dir", dataDir);
      expect(await Bun.file(settings).text()).toStartWith("# settings\n");
    },
  );

  nightlyTest.skipIf(!isLinux || !isRoot)(
    "root works as the owner of the data folder",
    async () => {
      // Root alone reads the compiled programs of the tests.
      await using service = await openService({ isFromSource: true });
      const { folder, home, dataDir, run } = service;
      expect(
        (await run("service", "install", "--user", "--no-start", "--data-dir", dataDir)).exitCode,
      ).toBe(0);
      await layDatabase(dataDir);
      for (const path of [folder.path, home]) Bun.spawnSync(["chmod", "755", path]);
      for (const path of [
        dataDir,
        ...(await readdir(dataDir)).map((name) => join(dataDir, name)),
      ]) {
        await chown(path, owner, owner);
      }
      const made = await run("service", "run", "--user", "--", "user", "add", "ada@example.com");
      expect(made, made.stderr).toMatchObject({ exitCode: 0 });
      const files = await readdir(dataDir);
      const owners = await Promise.all(
        files.map(async (name) => (await stat(join(dataDir, name))).uid),
      );
      expect(new Set(owners)).toEqual(new Set([owner]));
    },
  );

  test.skipIf(!isLinux || !isRoot)("a program that the owner cannot run is named", async () => {
    await using service = await openService();
    const { home, dataDir } = service;
    await mkdir(join(home, "bin"), { mode: 0o700 });
    const program = join(home, "bin/hub");
    await Bun.write(program, "#!/bin/sh\n", { mode: 0o755 });
    await Bun.write(join(home, "unit"), `[Service]\nEnvironment="HUB_DATA_DIR=${dataDir}"\n`);
    await chown(dataDir, owner, owner);
    const deps = {
      unitFiles: [join(home, "unit")],
      self: { command: program, args: [], env: {} },
      terminal: { env: {} },
      uid: 0,
    };
    await expect(runAsService(deps, ["user", "list"])).rejects.toThrow(
      `cannot run ${program}. Put`,
    );
  });

  nightlyTest.skipIf(!isLinux)(
    "changes of the unit count, and one without a data folder is refused",
    async () => {
      await using service = await openService();
      const { home, dataDir, run } = service;
      const unit = join(home, ".config/systemd/user/hub.service");
      await Bun.write(unit, "[Service]\nExecStart=/usr/bin/hub serve\n");
      const refused = await run("service", "run", "--user", "--", "user", "list");
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringContaining("name no HUB_DATA_DIR"),
      ]);
      await layDatabase(dataDir);
      await Bun.write(
        `${unit}.d/override.conf`,
        `[Service]\nEnvironment="HUB_DATA_DIR=${dataDir}"\n`,
      );
      const listed = await run("service", "run", "--user", "--", "user", "list", "--json");
      expect(listed, listed.stderr).toMatchObject({ exitCode: 0 });
    },
  );

  test.skipIf(!isLinux)(
    "without a service, and where its settings cannot be had, it says what to do",
    async () => {
      await using service = await openService();
      const { home, run } = service;
      const absent = await run("service", "run", "--user", "--", "user", "list");
      expect(absent.exitCode).toBe(2);
      expect(absent.stderr).toContain("Install it with hub service install");
      const unit = join(home, ".config/systemd/user/hub.service");
      await Bun.write(unit, "[Service]\nEnvironmentFile=/nowhere/hub.env\n");
      expect((await run("service", "run", "--user", "--", "user", "list")).stderr).toContain(
        "/nowhere/hub.env cannot be read: ENOENT",
      );
      await Bun.write(unit, "[Service]\nDynamicUser=yes\nEnvironment=HUB_DATA_DIR=/var/lib/hub\n");
      const dynamic = await run("service", "run", "--user", "--", "user", "list");
      if (isRoot) expect(dynamic.stderr).toContain("Give it a user of its own with User=");
    },
  );
});
