/** Protects: programs of plugins and rows cannot read what is the hub's, nor signal its process. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnProgram } from "../process/spawn-program.ts";
import { type BuiltFixture, buildFixture } from "../testing/build-fixture.ts";
import { openTestProcesses, toInstalled } from "../testing/open-test-processes.ts";
import type { Goals } from "../testing/reach.ts";
import { createTestCall } from "../testing/test-call.ts";
import { createFence, type FenceDeps, type OutsideProgram } from "./fence.ts";
import { type LaunchPlan, launchFailureCode, planVariable } from "./launch-plan.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const here = createFence({ dataDir: "/", mode: "auto" }).findState();
const hasLandlock = here.kind === "landlock";
const fencesSignals = here.kind === "landlock" && here.version >= 6;

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
  const child = spawnProgram(
    { fence: createFence(deps) },
    {
      command: "/bin/sh",
      env: { PATH: process.env.PATH ?? "" },
      folders: { read: [], written: [program.cwd] },
      ...program,
    },
  );
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { stdout, stderr, code: await child.exited };
}

describe("a plugin", () => {
  let reaching: BuiltFixture;
  beforeAll(() => {
    reaching = buildFixture("reaching-plugin.ts");
  });
  afterAll(() => reaching.remove());

  async function reachFrom(fenceMode: "auto" | "off") {
    const processes = openTestProcesses({ fenceMode });
    closers.push(processes.close);
    const { dir, toConnector } = processes;
    writeFileSync(join(dir, "keys.json"), "the keys");
    writeFileSync(join(dir, "hub.sqlite"), "the database");
    const proc = `/proc/${process.pid}`;
    const goals: Goals = {
      files: [`${dir}/keys.json`, `${dir}/hub.sqlite`, `${proc}/environ`, `${proc}/mem`],
      pid: process.pid,
      write: join(dir, "plugins.json"),
    };
    const connector = toConnector(toInstalled(reaching, "reaching"));
    const params = { goals: JSON.stringify(goals) };
    return Object.values(
      (await connector.invoke(createTestCall({ operation: "reach", params }).call)) as object,
    );
  }

  test.skipIf(!hasLandlock)(
    "A fenced plugin reads neither keys, database, environment nor memory of the hub",
    async () => {
      const [keys, database, environment, memory, signal, write] = await reachFrom("auto");
      expect({ keys, database, environment, memory, signal, write }).toEqual({
        ...{ keys: "EACCES", database: "EACCES", environment: "EACCES", memory: "EACCES" },
        signal: fencesSignals ? "EPERM" : "sent",
        write: "EACCES",
      });
    },
  );

  test.skipIf(process.platform !== "linux")(
    "Without a fence, a plugin reads the keys, the database and the hub's environment",
    async () => {
      const [keys, database, environment, , signal, write] = await reachFrom("off");
      expect({ keys, database, signal, write }).toEqual({
        ...{ keys: "the keys", database: "the database", signal: "sent", write: "written" },
      });
      expect(environment).toContain("=");
    },
  );
});

describe.skipIf(!hasLandlock)("a fenced program", () => {
  test("It uses its own folder and what lies outside the data folder, and nothing else there", async () => {
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
      ...{ command: "/bin/echo", args: ["it runs"], env: {}, cwd: own },
      folders: { read: [], written: [] },
    });
    const plan: LaunchPlan = JSON.parse(start.env[planVariable] ?? "");
    const faulty = JSON.stringify({ ...plan, landlock: {} });
    const child = Bun.spawn([start.command, ...start.args], {
      ...{ env: { ...start.env, [planVariable]: faulty }, cwd: start.cwd },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await child.stdout.text()).not.toContain("it runs");
    expect(await child.exited).toBe(launchFailureCode);
  });
});

test("Where programs cannot be fenced, they start, unless a fence is required", async () => {
  const { dataDir, own } = openDataFolder();
  const start = (mode: "auto" | "required") =>
    run({ dataDir, mode, findVersion: () => 0 }, { args: ["-c", "echo $$"], cwd: own });
  expect((await start("auto")).code).toBe(0);
  await expect(start("required")).rejects.toThrow("HUB_PLUGIN_FENCE is required");
});

test("A command or folder that does not exist is an error before anything starts", () => {
  const { dataDir, own } = openDataFolder();
  const start = (command: string, cwd: string) =>
    createFence({ dataDir, mode: "auto", findVersion: () => 7 }).enclose({
      ...{ command, cwd, args: [], env: { PATH: "/bin" } },
      folders: { read: [], written: [] },
    });
  expect(() => start("not-there", own)).toThrow('Executable not found in $PATH: "not-there"');
  expect(() => start("/not/there", own)).toThrow("ENOENT");
  expect(() => start("sh", join(own, "absent"))).toThrow("ENOENT");
});
