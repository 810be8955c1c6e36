import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProcess, readProcessSpace } from "../../lib/process/process-identity.ts";
import { isRunning, waitUntil } from "../../lib/testing/wait-until.ts";
import { runtimePrefix } from "../../lib/text/hide-paths.ts";
import { type BuiltFixture, buildFixture } from "../testing/build-fixture.ts";
import { startDoubleFork } from "../testing/double-fork.ts";
import { runHubToKill } from "../testing/run-hub-to-kill.ts";
import { createRuntimeFolder, ownerFile, processFile } from "./runtime-folder.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

let dir = "";
let started: number[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hubt-"));
  started = [];
});
afterEach(() => {
  for (const pid of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("kill -9 of the hub", () => {
  let fixture: BuiltFixture;
  beforeAll(() => {
    fixture = buildFixture();
  });
  afterAll(() => fixture.remove());

  test("Killing the hub ends its plugins, also one in an endless loop (trap 28)", async () => {
    const { hub, pids } = await runHubToKill(fixture, "fixture", dir);
    started.push(...pids);
    expect(pids.map(isRunning)).toEqual([true]);
    hub.kill("SIGKILL");
    await waitUntil(() => !pids.some(isRunning));
    // The folder waits for the next hub.
    const listFolders = () => readdirSync(dir).filter((name) => name.startsWith(runtimePrefix));
    expect(listFolders()).toHaveLength(1);
    await sweepLeftovers({ log }, dir);
    expect(listFolders()).toEqual([]);
  });
});

describe("the sweep", () => {
  const space = readProcessSpace();

  function startSleeper(): number {
    const { pid } = Bun.spawn(["sleep", "1000"], { detached: true });
    started.push(pid);
    return pid;
  }

  /** The folder of a hub that died. Its process id is unused or belongs to another program. */
  function createLeftoverFolder(leftover: object, owner: object = {}): string {
    const folder = mkdtempSync(join(dir, runtimePrefix));
    mkdirSync(join(folder, "1"));
    const dead = { pid: process.pid, startedAt: "1", program: "/bin/hub", space, ...owner };
    writeFileSync(join(folder, ownerFile), JSON.stringify(dead));
    writeFileSync(join(folder, "1", processFile), JSON.stringify(leftover));
    return folder;
  }

  function identify(pid: number) {
    const identity = findProcess(pid);
    if (identity === null) throw new Error("It does not run");
    return identity;
  }

  test("The sweep ends the plugins of a dead hub and removes its folder", async () => {
    const pid = startSleeper();
    const folder = createLeftoverFolder(identify(pid));
    await sweepLeftovers({ log }, dir);
    await waitUntil(() => !isRunning(pid));
    expect(existsSync(folder)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")(
    "The sweep ends what left its program's group and parent, and no process with another mark",
    async () => {
      const mark = `${crypto.randomUUID()}.`;
      const marked = await startDoubleFork(`${mark}1.`);
      const other = await startDoubleFork("another.1.");
      started.push(marked, other);
      createLeftoverFolder({}, { mark });
      await sweepLeftovers({ log }, dir);
      await waitUntil(() => findProcess(marked) === null);
      expect(findProcess(other)).not.toBeNull();
    },
  );

  const strangers: [string, object][] = [
    ["that started at another time", { startedAt: "1" }],
    ["that runs another program", { program: "/opt/plugins/gone" }],
  ];
  test("The sweep ends a plugin that ignores SIGTERM", async () => {
    // An ignored signal stays ignored by the program that replaces the shell.
    const child = Bun.spawn(["sh", "-c", "trap '' TERM; exec sleep 1000"], { detached: true });
    started.push(child.pid);
    await waitUntil(() => /(sleep|busybox|coreutils)$/.test(findProcess(child.pid)?.program ?? ""));
    createLeftoverFolder(identify(child.pid));
    await sweepLeftovers({ log }, dir);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
  });

  for (const [what, change] of strangers) {
    test(`The sweep does not end a process with the same pid ${what}`, async () => {
      const pid = startSleeper();
      createLeftoverFolder({ ...identify(pid), ...change });
      await sweepLeftovers({ log }, dir);
      expect(isRunning(pid)).toBe(true);
    });
  }

  test("The sweep does not end plugins of a running hub", async () => {
    const pid = startSleeper();
    const folder = createRuntimeFolder(dir);
    folder.openProcessFolder().record(pid);
    await sweepLeftovers({ log }, dir);
    expect(isRunning(pid)).toBe(true);
    expect(existsSync(folder.path)).toBe(true);
  });

  test("The sweep ignores processes of another machine, boot or container", async () => {
    const pid = startSleeper();
    const folder = createLeftoverFolder(identify(pid), { space: "elsewhere" });
    await sweepLeftovers({ log }, dir);
    expect(isRunning(pid)).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });

  test("The sweep ignores a folder that other users can write to (attack)", async () => {
    const pid = startSleeper();
    const folder = createLeftoverFolder(identify(pid));
    chmodSync(folder, 0o777);
    await sweepLeftovers({ log }, dir);
    expect(isRunning(pid)).toBe(true);
  });
});

describe("a socket's folder", () => {
  test("The folder for sockets is private, and its path short enough", () => {
    const folder = createRuntimeFolder(join(dir, "x".repeat(200)));
    try {
      const { socket, tmp, record } = folder.openProcessFolder();
      record(process.pid);
      const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
      expect([folder.path, socket, tmp].map(modeOf)).toEqual(["700", "700", "700"]);
      const files = [join(folder.path, ownerFile), join(folder.path, "1", processFile)];
      expect(files.map(modeOf)).toEqual(["600", "600"]);
      expect(Buffer.byteLength(`${socket}/plugin1234567890`)).toBeLessThan(104);
    } finally {
      folder.remove();
    }
  });
});
