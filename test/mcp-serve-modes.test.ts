/** `hub mcp serve --project`: when the project's program is built, and what runs. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { initialize } from "./support/stdio-session.ts";
import {
  checkProtocol,
  makeStubProject,
  readServerVersion,
  type StubProject,
} from "./support/stub-project.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let project: StubProject;
let versions = 0;
/** The source's version in a build that is known to be up to date, and its id. */
let current: { version: number; id: string | null } | null = null;

beforeAll(async () => {
  project = owned.use(await makeStubProject());
});

afterAll(() => owned.disposeAsync());

const start = (mode: string) => project.readVersion(["--mode", mode, "--project", project.root]);

/** Writes a source with a version of its own, and returns the version. */
function writeVersion(): string {
  versions += 1;
  project.write("version.ts", toSource(versions));
  return `v${versions}`;
}

const toSource = (version: number) => `export const version = "v${version}";`;

/** Starts in auto mode if needed, so that the program is up to date, and returns the id of its build. */
async function bringUpToDate(): Promise<string | null> {
  const found = project.readBuildId();
  if (current?.version === versions && current.id === found && hasProgram()) return found;
  await start("auto");
  current = { version: versions, id: project.readBuildId() };
  return current.id;
}

const hasProgram = () =>
  statSync(join(project.bin, "acme-hub"), { throwIfNoEntry: false })?.isFile();

describe("--mode auto", () => {
  test("A program that is up to date is not built again", async () => {
    const version = writeVersion();
    expect(await start("auto")).toBe(version);
    const id = project.readBuildId();
    expect(id).toBeString();
    expect(await start("auto")).toBe(version);
    expect(project.readBuildId()).toBe(id);
  });

  const changes: [string, () => void][] = [
    ["A changed lock file", () => project.write("package-lock.json", '{"lockfileVersion":3}')],
    [
      "A changed import outside the project",
      () => project.write("../outside.ts", 'export const outside = "";'),
    ],
    ["A moved HEAD", () => project.write(".git/HEAD", String(Date.now()).padStart(40, "a"))],
    ["A missing program", () => rmSync(join(project.bin, "acme-hub"))],
    ["A missing record", () => rmSync(join(project.bin, "acme-hub.json"))],
  ];
  // `build-record.test.ts` shows what makes a program outdated.
  test.each([...someOf(2, changes)])("%s leads to a build", async (_, change) => {
    const id = await bringUpToDate();
    change();
    await start("auto");
    current = { version: versions, id: project.readBuildId() };
    expect(current.id).not.toBe(id);
    const files = [".gitignore", "acme-hub", "acme-hub.json", "acme-hub.lock"];
    expect(readdirSync(project.bin).sort()).toEqual(files);
  });

  nightlyTest("A change is found if the data folder is a link to another folder", async () => {
    await using linked = await makeStubProject();
    mkdirSync(join(linked.base, "far", "away", "data"), { recursive: true });
    symlinkSync(join(linked.base, "far", "away", "data"), join(linked.root, ".hub"));
    const args = ["--mode", "auto", "--project", linked.root];
    expect(await linked.readVersion(args)).toBe("1");
    const id = linked.readBuildId();
    expect(await linked.readVersion(args)).toBe("1");
    expect(linked.readBuildId()).toBe(id);
    linked.write("version.ts", 'export const version = "2";');
    expect(await linked.readVersion(args)).toBe("2");
  });

  nightlyTest("Two starts at the same time build once", async () => {
    const version = writeVersion();
    const args = ["--mode", "auto", "--project", project.root];
    const sessions = [project.serve(args), project.serve(args)];
    const found = await Promise.all(sessions.map(readServerVersion));
    expect(found).toEqual([version, version]);
    const builds = sessions.filter((session) => session.stderr().includes("Building"));
    expect(builds).toHaveLength(1);
  });

  test("A failed build prints the first error of the compiler, and no program runs", async () => {
    await bringUpToDate();
    project.write("version.ts", "export const version = ;\nexport const other = ;");
    await using session = project.serve(["--mode", "auto", "--project", project.root]);
    session.send(initialize);
    expect(await session.exited()).toBe(1);
    expect(session.stdout()).toBe("");
    const path = join(project.root, "version.ts");
    expect(session.stderr()).toEndWith(
      `\nerror: Building ${project.root} failed: Unexpected ; (${path}:1:24)\n`,
    );
    // The program is up to date again.
    project.write("version.ts", toSource(versions));
  });
});

describe("The other modes", () => {
  nightlyTest("build reuses a program, and builds a missing one", async () => {
    const version = writeVersion();
    const id = await bringUpToDate();
    writeVersion();
    expect(await start("build")).toBe(version);
    expect(project.readBuildId()).toBe(id);
    rmSync(join(project.bin, "acme-hub"));
    const built = writeVersion();
    expect(await start("build")).toBe(built);
  });

  nightlyTest("rebuild always builds", async () => {
    const id = await bringUpToDate();
    await start("rebuild");
    expect(project.readBuildId()).not.toBe(id);
  });

  test("dev runs the source in the project's folder, and builds nothing", async () => {
    const id = project.readBuildId();
    const version = writeVersion();
    const args = ["--mode", "dev", "--project", project.root];
    await using session = project.serve(args, { isRunByBun: true });
    session.send({ ...initialize, id: 1, method: "report" });
    expect((await session.answerTo(1)).result).toMatchObject({
      program: process.execPath,
      cwd: project.root,
      args: ["mcp", "serve", "--mode", "dev", "--project", project.root],
    });
    expect(await readServerVersion(session)).toBe(version);
    expect(project.readBuildId()).toBe(id);
  });
});

describe("The program that is started", () => {
  async function open(args: string[] = []) {
    await bringUpToDate();
    return project.serve(["--mode", "auto", "--project", project.root, ...args]);
  }

  test("The program of a project gets the options that concern it, with absolute paths", async () => {
    await using session = await open(["--user", "ada@example.com", "--data-dir", "other"]);
    session.send({ jsonrpc: "2.0", id: 1, method: "report" });
    const { args, cwd, program } = (await session.answerTo(1)).result;
    expect(args.slice(0, 2)).toEqual(["--data-dir", join(project.base, "other")]);
    expect(args.slice(2, 4)).toEqual(["mcp", "serve"]);
    expect(args.slice(-4)).toEqual(["--project", project.root, "--user", "ada@example.com"]);
    expect(cwd).toBe(project.base);
    expect(program).toBe(join(project.bin, "acme-hub"));
  });

  test("It gets the signals, and its exit code is that of the command", async () => {
    await using ended = await open();
    ended.send(initialize);
    await ended.answerTo(initialize.id);
    expect(await ended.end("SIGTERM")).toEqual({ exitCode: 15, signalCode: null });
    checkProtocol(ended);

    await using failed = await open();
    failed.send({ jsonrpc: "2.0", id: 1, method: "exit", params: { code: 7 } });
    expect(await failed.exited()).toBe(7);
  });

  test("It reads what the client wrote before it was started", async () => {
    await using session = await open();
    session.send(initialize);
    expect(await session.close()).toBe(0);
    expect(session.stdout()).toContain('"serverInfo"');
  });
});

describe("Faulty projects", () => {
  nightlyTest("The program of a read-only project is in the user's cache folder", async () => {
    rmSync(join(project.root, ".hub"), { recursive: true, force: true });
    writeFileSync(join(project.root, ".hub"), "");
    try {
      const version = writeVersion();
      expect(await start("auto")).toBe(version);
      const cache = join(project.home, ".cache/hub/bin");
      const [folder = ""] = readdirSync(cache);
      const id = project.readBuildId(join(cache, folder));
      expect(id).toBeString();
      expect(await start("auto")).toBe(version);
      expect(project.readBuildId(join(cache, folder))).toBe(id);
    } finally {
      rmSync(join(project.root, ".hub"));
      rmSync(join(project.home, ".cache"), { recursive: true, force: true });
    }
  });

  test("Without any folder for the program, the message names --mode dev", async () => {
    rmSync(join(project.root, ".hub"), { recursive: true, force: true });
    writeFileSync(join(project.root, ".hub"), "");
    await using session = project.serve(["--project", project.root], {
      env: { XDG_CACHE_HOME: join(project.root, "main.ts") },
    });
    expect(await session.exited()).toBe(1);
    rmSync(join(project.root, ".hub"));
    expect(session.stdout()).toBe("");
    expect(session.stderr()).toContain("can be written");
    expect(session.stderr()).toContain("--mode dev");
  });

  nightlyTest("A program that cannot be replaced is left alone, and the new one runs", async () => {
    rmSync(join(project.bin, "acme-hub"), { force: true });
    project.write(".hub/bin/acme-hub/file", "");
    const version = writeVersion();
    expect(await start("auto")).toBe(version);
    const id = project.readBuildId();
    expect(await start("auto")).toBe(version);
    expect(project.readBuildId()).toBe(id);
    rmSync(project.bin, { recursive: true });
  });

  test("If the system does not start the program, the message names --mode dev", async () => {
    await bringUpToDate();
    const program = join(project.bin, "acme-hub");
    chmodSync(program, 0o600);
    await using session = project.serve(["--project", project.root]);
    expect(await session.exited()).toBe(1);
    chmodSync(program, 0o700);
    expect(session.stdout()).toBe("");
    expect(session.stderr()).toMatch(
      /^error: The system does not start .*acme-hub \(.*EACCES.*\)\. .* --mode dev/,
    );
  });

  nightlyTest(
    "A moved project is built again; its old path is refused with what to do",
    async () => {
      await bringUpToDate();
      const moved = `${project.root}-moved`;
      const id = project.readBuildId();
      renameSync(project.root, moved);
      try {
        await using session = project.serve(["--project", project.root]);
        expect(await session.exited()).toBe(2);
        expect(session.stderr()).toContain('run its command "mcp install --replace" in the new');
        await project.readVersion(["--mode", "build", "--project", moved]);
        expect(project.readBuildId(join(moved, ".hub/bin"))).not.toBe(id);
      } finally {
        renameSync(moved, project.root);
      }
    },
  );

  test.each([
    ["gone.ts", "names a file that does not exist"],
    ["../outside.ts", "must be a file in this folder"],
    ["link.ts", "is a link to a file outside this folder"],
    ["", "must be a file in this folder"],
  ])('The entry "%s" is refused: it %s', async (entry, sentence) => {
    const manifest = { name: "@acme/acme-hub", hub: { entry } };
    const folder = join(project.base, "broken");
    project.write("../broken/package.json", JSON.stringify(manifest));
    symlinkSync(join(project.base, "outside.ts"), join(folder, "link.ts"));
    await using session = project.serve(["--project", folder]);
    expect(await session.exited()).toBe(1);
    rmSync(folder, { recursive: true });
    expect(session.stdout()).toBe("");
    expect(session.stderr()).toContain(sentence);
  });

  test("A package.json that cannot be parsed is named, so that no other hub runs instead", async () => {
    project.write("../typo/package.json", '{"hub": {"entry": "main.ts",}}');
    const folder = join(project.base, "typo");
    await using session = project.serve(["--project", folder]);
    expect(await session.exited()).toBe(1);
    expect(session.stderr()).toBe(
      `error: ${join(folder, "package.json")}: it is not valid JSON.\n`,
    );
  });

  test("A byte order mark of package.json is ignored", async () => {
    const manifest = '\uFEFF{"name": "marked", "hub": {"entry": "gone.ts"}}';
    project.write("../marked/package.json", manifest);
    await using session = project.serve(["--project", join(project.base, "marked")]);
    expect(await session.exited()).toBe(1);
    expect(session.stderr()).toContain("names a file that does not exist");
  });
});
