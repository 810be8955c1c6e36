/**
 * Protects: programs of plugins and rows cannot read what is the hub's, nor signal its process. Of a standalone plugin, `.ci/run`
 * tries the fence alone, and `.ci/nightly` what a thin one is tried with, too.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nightlyTest } from "../../lib/testing/nightly-test.ts";
import { spawnProgram } from "../process/spawn-program.ts";
import { type BuiltFixture, buildFixture } from "../testing/build-fixture.ts";
import { openTestProcesses, toInstalled } from "../testing/open-test-processes.ts";
import type { Goals } from "../testing/reach.ts";
import { createTestCall } from "../testing/test-call.ts";
import { createFence, type FenceDeps } from "./fence.ts";
import { findAccount } from "./find-account.ts";
import { type LaunchPlan, launchFailureCode, planVariable } from "./launch-plan.ts";
import type { OutsideProgram } from "./outside-program.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const here = createFence({ dataDir: "/", mode: "auto" }).findState();
const hasLandlock = here.landlock !== "off" && here.landlock > 0;
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const fencesSignals = here.landlock !== "off" && here.landlock >= 6;

/** A data folder with a key file, the folder of a program, and one of another program. */
function openDataFolder() {
  const parent = mkdtempSync(join(tmpdir(), "hub-fence-"));
  closers.push(() => rmSync(parent, { recursive: true, force: true }));
  const dataDir = join(parent, "data");
  const own = join(dataDir, "homes", "own");
  mkdirSync(own, { recursive: true });
  mkdirSync(join(dataDir, "homes", "other"));
  writeFileSync(join(dataDir, "keys.json"), "the keys");
  writeFileSync(join(parent, "beside.txt"), "beside");
  return { parent, dataDir, own };
}

async function run(
  deps: FenceDeps,
  program: Partial<OutsideProgram> & Pick<OutsideProgram, "args" | "cwd">,
) {
  const { child } = spawnProgram(
    { fence: createFence(deps) },
    {
      command: "/bin/sh",
      env: { PATH: process.env.PATH ?? "" },
      folders: { read: [], written: [program.cwd], way: [] },
      ...program,
    },
  );
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr, code: await child.exited };
}

describe.each(["standalone", "thin"] as const)("a %s plugin", (form) => {
  let reaching: BuiltFixture;
  beforeAll(() => {
    reaching = buildFixture("reaching-plugin.ts", form);
  });
  afterAll(() => reaching.remove());

  async function reachFrom(options: Parameters<typeof openTestProcesses>[0]) {
    const processes = openTestProcesses(options);
    closers.push(processes.close);
    const { dir, toConnector } = processes;
    // As the hub writes them.
    writeFileSync(join(dir, "keys.json"), "the keys", { mode: 0o600 });
    writeFileSync(join(dir, "hub.sqlite"), "the database", { mode: 0o600 });
    const version = join(dir, "plugins", "reaching");
    mkdirSync(version, { recursive: true, mode: 0o700 });
    const binaryPath = join(version, form === "thin" ? "reaching.js" : "reaching");
    copyFileSync(reaching.binaryPath, binaryPath);
    chmodSync(binaryPath, 0o700);
    const proc = `/proc/${process.pid}`;
    const goals: Goals = {
      files: [`${dir}/keys.json`, `${dir}/hub.sqlite`, `${proc}/environ`, `${proc}/mem`],
      pid: process.pid,
      write: join(dir, "plugins.json"),
    };
    const connector = toConnector(toInstalled({ ...reaching, binaryPath }, "reaching"));
    const params = { goals: JSON.stringify(goals) };
    const { call } = createTestCall({ operation: "reach", params });
    const reached = Object.values((await connector.invoke(call)) as object);
    return { reached, dir, binaryPath };
  }

  test.skipIf(!hasLandlock)(
    "A fenced plugin reads neither keys, database, environment nor memory of the hub",
    async () => {
      const { reached } = await reachFrom({ fenceMode: "auto" });
      const [keys, database, environment, memory, signal, write] = reached;
      expect({ keys, database, environment, memory, signal, write }).toEqual({
        keys: "EACCES",
        database: "EACCES",
        environment: "EACCES",
        memory: "EACCES",
        signal: fencesSignals ? "EPERM" : "sent",
        write: "EACCES",
      });
    },
  );

  const wholeTest = form === "thin" ? test : nightlyTest;

  wholeTest.skipIf(process.platform !== "linux")(
    "Without a fence, a plugin reads the keys, the database and the hub's environment",
    async () => {
      const { reached } = await reachFrom({ fenceMode: "off" });
      const [keys, database, environment, , signal, write] = reached;
      expect({ keys, database, signal, write }).toEqual({
        keys: "the keys",
        database: "the database",
        signal: "sent",
        write: "written",
      });
      expect(environment).toContain("=");
    },
  );

  wholeTest.skipIf(!isRoot)(
    "A plugin of another user reads nothing of the hub without Landlock, too, and works",
    async () => {
      const { reached, dir, binaryPath } = await reachFrom({ user: "65534:65534" });
      expect(reached).toEqual(["EACCES", "EACCES", "EACCES", "EACCES", "EPERM", "EACCES"]);
      const toMode = (path: string) => {
        const { uid, gid, mode } = statSync(path);
        return [uid, gid, (mode & 0o7777).toString(8)];
      };
      expect(toMode(join(dir, "homes/reaching"))).toEqual([65534, 65534, "700"]);
      expect(toMode(dir)).toEqual([0, 65534, "710"]);
      expect(toMode(join(dir, "homes"))).toEqual([0, 65534, "710"]);
      expect(toMode(binaryPath)).toEqual([0, 65534, "750"]);
      expect(toMode(join(dir, "keys.json"))).toEqual([0, 0, "600"]);
    },
  );
});

describe.skipIf(!hasLandlock)("a fenced program", () => {
  test("A fenced program uses its own folder and what lies outside the data folder, and nothing else in it", async () => {
    const { parent, dataDir, own } = openDataFolder();
    const script = `
      echo mine > ${own}/file && mkdir ${own}/sub && mv ${own}/file ${own}/sub && cat ${own}/sub/file
      cat ${parent}/beside.txt; echo
      ls ${dataDir}/homes
      for path in keys.json homes/other/new new; do echo x >> ${dataDir}/$path; done
      rm ${dataDir}/keys.json; mv ${dataDir}/homes/other ${own}; ln ${dataDir}/keys.json ${own}/link
      cat ${own}/../../keys.json /proc/self/root/${dataDir}/keys.json
      echo x > ${parent}/made-later; cat /proc/self/status`;
    const { stdout } = await run({ dataDir, mode: "auto" }, { args: ["-c", script], cwd: own });
    expect(stdout).toStartWith("mine\nbeside\nother\nown\n");
    expect(stdout).not.toContain("the keys");
    expect(stdout).toMatch(/NoNewPrivs:\s1/);
    expect(readFileSync(join(dataDir, "keys.json"), "utf8")).toBe("the keys");
  });

  test("A link to the data folder leads to nothing", async () => {
    const { parent, dataDir, own } = openDataFolder();
    const script = `ln -s ${dataDir} ${own}/link; cat ${own}/link/keys.json`;
    const { stdout, stderr } = await run(
      { dataDir: join(parent, "homes", "..", "data"), mode: "auto" },
      { args: ["-c", script], cwd: own },
    );
    expect([stdout, stderr]).toEqual(["", expect.stringContaining("Permission denied")]);
  });

  test("The key file is out of reach, too, if the data folder has a link to it", async () => {
    const { parent, dataDir, own } = openDataFolder();
    const mounted = join(parent, "mounted-keys.json");
    renameSync(join(dataDir, "keys.json"), mounted);
    symlinkSync(mounted, join(dataDir, "keys.json"));
    const args = ["-c", `cat ${mounted} ${dataDir}/keys.json`];
    expect(await run({ dataDir, mode: "auto" }, { args, cwd: own })).toMatchObject({ stdout: "" });
  });

  test("A probe of the fence tells what it could do", async () => {
    const { parent, dataDir } = openDataFolder();
    const { probe } = createFence({ dataDir, mode: "auto" });
    const beside = join(parent, "beside.txt");
    const files = [join(dataDir, "keys.json"), beside, `/proc/${process.pid}/mem`];
    const breach = { files: [beside], signals: !fencesSignals };
    expect(await probe({ files, pid: process.pid })).toEqual(breach);
  });

  test("It cannot change the hub's program, which would run without a fence", async () => {
    const { dataDir, own } = openDataFolder();
    // Appends nothing, also where it may.
    const script = 'cat "$0" > /dev/null && echo read; sh -c \': >> "$0"\' "$0" || echo refused';
    const { stdout } = await run(
      { dataDir, mode: "auto" },
      { args: ["-c", script, import.meta.path], cwd: own },
    );
    expect(stdout).toBe("read\nrefused\n");
  });

  test("It starts as without a fence: name, arguments, environment, signals and descriptors", async () => {
    const { dataDir, own } = openDataFolder();
    const script = `echo "$0" "$@"; env; pwd; ls /proc/self/fd; grep -E "SigIgn|SigBlk" /proc/self/status`;
    const args = ["-c", script, "name", "an argument", ""];
    const env = { PATH: process.env.PATH ?? "", BUN_BE_BUN: "1", EMPTY: "", LINES: "a\nb" };
    const start = (mode: "auto" | "off") =>
      run({ dataDir, mode }, { args, env, cwd: own, command: "sh" });
    const fenced = await start("auto");
    expect(fenced.stdout).toContain("BUN_BE_BUN=1\n");
    expect(fenced).toEqual(await start("off"));
  });

  test("A program that the system cannot run ends with the launcher's code and a reason", async () => {
    const { dataDir, own } = openDataFolder();
    const broken = join(own, "broken");
    writeFileSync(broken, "\x7fELF", { mode: 0o755 });
    const { code, stderr } = await run(
      { dataDir, mode: "auto" },
      { command: broken, args: [], cwd: own },
    );
    expect([code, stderr]).toEqual([launchFailureCode, expect.stringContaining("ENOEXEC")]);
  });

  test("A program does not run if its fence cannot be made", async () => {
    const { dataDir, own } = openDataFolder();
    const start = createFence({ dataDir, mode: "auto" }).enclose({
      command: "/bin/echo",
      args: ["it runs"],
      env: {},
      cwd: own,
      folders: { read: [], written: [], way: [] },
    });
    const plan: LaunchPlan = JSON.parse(start.env[planVariable] ?? "");
    const faulty = JSON.stringify({ ...plan, landlock: {} });
    const child = Bun.spawn([start.command, ...start.args], {
      env: { ...start.env, [planVariable]: faulty },
      cwd: start.cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await child.stdout.text()).not.toContain("it runs");
    expect(await child.exited).toBe(launchFailureCode);
  });
});

describe.skipIf(!isRoot)("HUB_PLUGIN_USER", () => {
  const user = "65534:65534";

  test("A program has only the user's rights, and no supplementary groups", async () => {
    const { parent, dataDir, own } = openDataFolder();
    chmodSync(parent, 0o755);
    rmSync(join(own), { recursive: true });
    mkdirSync(own, { mode: 0o700 });
    const script = `id -u; id -g; id -G; grep -E "CapPrm|NoNewPrivs" /proc/self/status; touch ${own}/file && echo written`;
    const { stdout } = await run(
      { dataDir, mode: "auto", user },
      { args: ["-c", script], cwd: own },
    );
    expect(stdout.split(/\s+/)).toEqual([
      ...["65534", "65534", "65534", "CapPrm:", "0000000000000000", "NoNewPrivs:", "1"],
      ...["written", ""],
    ]);
  });

  test("A folder in which the hub's user has files is not given away", async () => {
    const { dataDir, own } = openDataFolder();
    writeFileSync(join(own, "file"), "");
    const start = () => run({ dataDir, mode: "auto", user }, { args: ["-c", "true"], cwd: own });
    await expect(start()).rejects.toThrow("chown -R 65534:65534");
    expect(statSync(own).uid).toBe(0);
  });

  test("A folder on the way that the user owns is refused: its content could be anything", async () => {
    const { dataDir, own } = openDataFolder();
    chownSync(join(dataDir, "homes"), 65534, 65534);
    const start = () => run({ dataDir, mode: "auto", user }, { args: ["-c", "true"], cwd: own });
    await expect(start()).rejects.toThrow("HUB_PLUGIN_USER owns a folder of the hub");
  });

  test("An unknown user, and root, start no program", async () => {
    const { dataDir, own } = openDataFolder();
    for (const unusable of ["no-such-user", "root", "0", "0:0", "5:0"]) {
      const deps = { dataDir, mode: "auto", user: unusable } as const;
      await expect(run(deps, { args: ["-c", "true"], cwd: own })).rejects.toThrow("no user");
    }
  });
});

test("A user is found by name and by number, with the primary group", () => {
  const passwd = "root:x:0:0::/:/bin/sh\nplugins:x:990:991::/:/bin/false\n";
  const account = { uid: 990, gid: 991 };
  expect(findAccount("plugins", passwd)).toEqual(account);
  expect(findAccount("990", passwd)).toEqual(account);
  expect(findAccount("5:6", passwd)).toEqual({ uid: 5, gid: 6 });
  expect(["root", "0", "991", "4294967295:1", ""].map((text) => findAccount(text, passwd))).toEqual(
    Array(5).fill(null),
  );
});

test("Where programs cannot be fenced, they start, unless a fence is required", async () => {
  const { dataDir, own } = openDataFolder();
  const start = (mode: "auto" | "required") =>
    run({ dataDir, mode, findVersion: () => 0 }, { args: ["-c", "echo $$"], cwd: own });
  expect((await start("auto")).code).toBe(0);
  await expect(start("required")).rejects.toThrow("HUB_PLUGIN_FENCE is required");
});

const disks = (existsSync("/dev") ? readdirSync("/dev") : [])
  .map((name) => join("/dev", name))
  .filter((path) => statSync(path, { throwIfNoEntry: false })?.isBlockDevice());

test.skipIf(disks.length === 0)("The disks of the machine are hidden from a program", () => {
  const { dataDir, own } = openDataFolder();
  const { env } = createFence({ dataDir, mode: "auto", findVersion: () => 7 }).enclose({
    command: "/bin/sh",
    args: [],
    env: {},
    cwd: own,
    folders: { read: [], written: [], way: [] },
  });
  const plan: LaunchPlan = JSON.parse(env[planVariable] ?? "");
  expect(plan.landlock?.hidden).toEqual(expect.arrayContaining([realpathSync(dataDir), ...disks]));
});

test("A command or folder that does not exist is an error before anything starts", () => {
  const { dataDir, own } = openDataFolder();
  const start = (command: string, cwd: string) =>
    createFence({ dataDir, mode: "auto", findVersion: () => 7 }).enclose({
      command,
      cwd,
      args: [],
      env: { PATH: "/bin" },
      folders: { read: [], written: [], way: [] },
    });
  expect(() => start("not-there", own)).toThrow('Executable not found in $PATH: "not-there"');
  expect(() => start("/not/there", own)).toThrow("ENOENT");
  expect(() => start("sh", join(own, "absent"))).toThrow("ENOENT");
});
