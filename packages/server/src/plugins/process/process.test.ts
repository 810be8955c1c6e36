import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { nightlyTest } from "../../lib/testing/nightly-test.ts";
import { isRunning, waitUntil } from "../../lib/testing/wait-until.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import { type BuiltFixture, buildFixture } from "../testing/build-fixture.ts";
import { findFailure } from "../testing/find-failure.ts";
import { openTestProcesses, toInstalled } from "../testing/open-test-processes.ts";
import { createTestCall } from "../testing/test-call.ts";
import { writeScript } from "../testing/write-script.ts";

let fixture: BuiltFixture;
let open: ReturnType<typeof openTestProcesses>[] = [];
/** For tests in which it does not matter which calls the fixture's process has had before. */
let shared: ReturnType<typeof openTestProcesses>;

beforeAll(() => {
  fixture = buildFixture();
  shared = openTestProcesses({
    env: {
      PATH: "/bin",
      LANG: "C",
      HTTPS_PROXY: "http://proxy:1",
      HUB_ENC_KEY: "key",
      HOME: "/root",
    },
  });
});
afterAll(async () => {
  await shared.close();
  fixture.remove();
});
beforeEach(() => {
  open = [];
});
afterEach(async () => {
  for (const processes of open) await processes.close();
});

function openProcesses(options: Parameters<typeof openTestProcesses>[0] = {}) {
  const processes = openTestProcesses(options);
  open.push(processes);
  return processes;
}

const invoke = (connector: RegisteredConnector, operation: string, params = {}) =>
  connector.invoke(createTestCall({ operation, params }).call);

const findPid = async (connector: RegisteredConnector) => {
  const seen = await invoke(connector, "look_around");
  return (seen as { pid: number }).pid;
};

/** A call that runs until it is cancelled. */
async function startHanging(connector: RegisteredConnector) {
  const started = Promise.withResolvers<void>();
  const abort = new AbortController();
  const { call } = createTestCall({
    operation: "hang",
    signal: abort.signal,
    onProgress: () => started.resolve(),
  });
  const failure = findFailure(connector.invoke(call));
  await started.promise;
  return { failure, abort };
}

describe("a plugin's process", () => {
  test("The first call starts the process, and simultaneous calls start it once", async () => {
    const { pool, toConnector } = openProcesses();
    const connector = toConnector(toInstalled(fixture));
    expect(pool.list()).toEqual([]);
    const pids = await Promise.all(Array.from({ length: 32 }, () => findPid(connector)));
    expect(new Set(pids).size).toBe(1);
    expect(pool.list()).toMatchObject([{ key: "fixture", version: "1.0.0", calls: 0 }]);
  });

  test("The process gets none of the hub's environment variables except the listed ones", async () => {
    const { toConnector, dir } = shared;
    const seen = await invoke(toConnector(toInstalled(fixture)), "look_around");
    const { env, cwd } = seen as { env: Record<string, string>; cwd: string };
    expect(Object.keys(env).sort()).toEqual([
      "HOME",
      "HTTPS_PROXY",
      "LANG",
      "PATH",
      "PLUGIN_CLIENT_CERT",
      "PLUGIN_ENDS_WITH_STDIN",
      "PLUGIN_MARK",
      "PLUGIN_MAX_PORT",
      "PLUGIN_MIN_PORT",
      "PLUGIN_PROTOCOL_VERSIONS",
      "PLUGIN_UNIX_SOCKET_DIR",
      "TMPDIR",
      "WICK_CONNECTOR_PLUGIN",
    ]);
    expect(env.HOME).toBe(join(dir, "homes", "fixture"));
    expect(cwd).toBe(env.HOME ?? "");
  });

  test("The process inherits only its three pipes", async () => {
    const { waitForLine, toConnector, dir } = openProcesses();
    // A shell opens no files of its own, so all open ones are inherited. `ls` also has the listed
    // folder.
    const script = writeScript(
      dir,
      "ls -l /proc/self/fd | sed 's/.* \\([0-9]*\\) -> /fd \\1 /'; echo done; exit 1",
    );
    const failure = findFailure(invoke(toConnector(toInstalled(script, "script")), "echo"));
    await failure;
    await waitForLine(({ message }) => message === "done");
    const fds = open[0]?.lines
      .map(({ message }) => message)
      .filter((line) => line.startsWith("fd "));
    expect(fds?.map((line) => line.split(" ")[1])).toEqual(["0", "1", "2", "3"]);
    expect(fds?.[3]).toMatch(/\/proc\/\d+\/fd/);
  });

  test("The process's output is logged with the plugin's name and without secrets", async () => {
    const { waitForLine, toConnector, lines } = shared;
    await invoke(toConnector(toInstalled(fixture)), "print", { text: "hello" });
    expect(await waitForLine(({ message }) => message.startsWith("out"))).toEqual({
      level: "info",
      plugin: "fixture",
      message: "out hello [secret]",
    });
    await waitForLine(({ message }) => message === "err hello [secret]");
    expect(await waitForLine(({ level }) => level === "warn")).toEqual({
      level: "warn",
      plugin: "fixture",
      message: "json hello",
      details: { size: 3 },
    });
    expect(JSON.stringify(lines)).not.toContain("token-of-the-row");
  });

  nightlyTest("A process that dies fails its running calls and no others", async () => {
    const { pool, toConnector } = openProcesses();
    const connector = toConnector(toInstalled(fixture));
    const hanging = await Promise.all([startHanging(connector), startHanging(connector)]);
    const [{ pid } = { pid: 0 }] = pool.list();
    process.kill(pid, "SIGKILL");
    for (const { failure } of hanging) {
      expect(await failure).toMatchObject({ code: "plugin_unavailable" });
    }
    await waitUntil(() => pool.list().length === 0);
    expect(await findPid(connector)).not.toBe(pid);
  });

  test("A process that exits during a call fails it with plugin_unavailable", async () => {
    const { toConnector } = shared;
    const connector = toConnector(toInstalled(fixture));
    expect(await findFailure(invoke(connector, "die", { code: 1 }))).toMatchObject({
      code: "plugin_unavailable",
    });
  });

  test("A cancelled call does not wait for the process", async () => {
    const { toConnector } = shared;
    const { failure, abort } = await startHanging(toConnector(toInstalled(fixture)));
    abort.abort(new Error("the client left"));
    expect(await failure).toMatchObject({ message: "the client left" });
  });

  test("Stopping the hub ends all processes and removes their files", async () => {
    const { pool, toConnector, dir } = openProcesses();
    const connector = toConnector(toInstalled(fixture));
    const pid = await findPid(connector);
    await pool.stopAll();
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(dir)).toEqual(["homes"]);
    expect(await findFailure(invoke(connector, "echo"))).toMatchObject({
      code: "plugin_unavailable",
    });
  });

  test("A process that ignores SIGTERM is killed", async () => {
    const timers = createManualTimers();
    const { pool, toConnector, waitForLine, lines } = openProcesses({ timers });
    const script = toInstalled(writeScript(openProcesses().dir, stubbornScript()), "script");
    const call = findFailure(invoke(toConnector(script), "echo"));
    await waitForLine(({ message }) => message === "stubborn");
    timers.advance(60_000);
    // The process has received SIGTERM and ignores it.
    await waitForLine(({ message }) => message === "no");
    timers.advance(2000);
    expect(await call).toMatchObject({ code: "plugin_unavailable" });
    expect(pool.list()).toEqual([]);
    expect(lines.some(({ message }) => message.includes("crashed"))).toBe(true);
  });
});

function stubbornScript(): string {
  return "trap 'echo no' TERM; echo stubborn; while :; do read -r line; done";
}

describe("the pool", () => {
  test("A process without calls for five minutes is ended", async () => {
    const timers = createManualTimers();
    const { pool, toConnector, waitForLine } = openProcesses({ timers });
    const connector = toConnector(toInstalled(fixture));
    const pid = await findPid(connector);
    timers.advance(4 * 60_000);
    expect(await findPid(connector)).toBe(pid);
    timers.advance(4 * 60_000);
    expect(await findPid(connector)).toBe(pid);
    timers.advance(5 * 60_000);
    await waitForLine(({ message }) => message === "Plugin stopped");
    expect(pool.list()).toEqual([]);
  });

  test("At the process limit the longest idle process is ended (trap 28)", async () => {
    const { pool, toConnector } = openProcesses({ procsMax: 2 });
    const keys = ["one", "two", "three"];
    for (const key of keys) await findPid(toConnector(toInstalled(fixture, key)));
    expect(pool.list().map(({ key }) => key)).toEqual(["two", "three"]);
  });

  nightlyTest("A call waits while all processes are busy and runs when one is free", async () => {
    const { pool, toConnector } = openProcesses({ procsMax: 1 });
    const { abort, failure } = await startHanging(toConnector(toInstalled(fixture, "one")));
    const waiting = findPid(toConnector(toInstalled(fixture, "two")));
    const given = new AbortController();
    const { call } = createTestCall({ operation: "echo", signal: given.signal });
    const impatient = findFailure(toConnector(toInstalled(fixture, "two")).invoke(call));
    given.abort(new Error("no patience"));
    expect(await impatient).toMatchObject({ message: "no patience" });
    expect(pool.list().map(({ key }) => key)).toEqual(["one"]);
    abort.abort(new Error("enough"));
    await failure;
    expect(await waiting).toBeGreaterThan(0);
    expect(pool.list().map(({ key }) => key)).toEqual(["two"]);
  });

  nightlyTest("Running calls finish on the old process when it is replaced", async () => {
    const { pool, toConnector } = openProcesses();
    const plugin = toInstalled(fixture);
    const old = await startHanging(toConnector(plugin));
    const [before] = pool.list();
    const next: InstalledPlugin = toInstalled(fixture, "fixture", "2.0.0");
    pool.drainAndReplace("fixture", next);
    // A caller that knows only the old version gets the new process too.
    const pid = await findPid(toConnector(plugin));
    expect(pid).not.toBe(before?.pid);
    expect(pool.list().map(({ version, calls }) => [version, calls])).toEqual([
      ["1.0.0", 1],
      ["2.0.0", 0],
    ]);
    old.abort.abort(new Error("done"));
    expect(await old.failure).toMatchObject({ message: "done" });
    await waitUntil(() => pool.list().length === 1);
    expect(pool.list()).toMatchObject([{ version: "2.0.0", pid }]);
  });

  test("A plugin that keeps crashing is started with growing delays, which are logged (trap 28)", async () => {
    const timers = createManualTimers();
    const { toConnector, dir, lines } = openProcesses({ timers });
    const connector = toConnector(toInstalled(writeScript(dir, "exit 3"), "script"));
    const fail = () => findFailure(invoke(connector, "echo"));
    expect(await fail()).toMatchObject({
      code: "plugin_unavailable",
      message: expect.stringContaining("it ended with code 3 before it was ready"),
    });
    for (const delayMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const line = lines.findLast(({ delay_ms }) => delay_ms !== undefined);
      expect(line).toMatchObject({ level: "warn", plugin: "script", delay_ms: delayMs });
      if (delayMs > 1000) {
        expect(await fail()).toMatchObject({
          message: expect.stringMatching(
            /crashed \d times in a row\. It can be started again in \d+ s/,
          ),
        });
      }
      timers.advance(delayMs);
      expect(await fail()).toMatchObject({ message: expect.stringContaining("code 3") });
    }
  });

  test("A plugin with a slow start does not delay another plugin (trap 28)", async () => {
    const { toConnector, dir, waitForLine } = shared;
    const slow = toInstalled(writeScript(dir, "echo started; read -r line"), "slow");
    const abort = new AbortController();
    const { call } = createTestCall({ signal: abort.signal });
    const pending = findFailure(toConnector(slow).invoke(call));
    await waitForLine(({ message }) => message === "started");
    expect(await findPid(toConnector(toInstalled(fixture)))).toBeGreaterThan(0);
    abort.abort(new Error("enough"));
    expect(await pending).toMatchObject({ message: "enough" });
  });

  test("Stopping the hub does not wait for a starting plugin", async () => {
    const { pool, toConnector, dir, waitForLine } = openProcesses();
    const slow = toInstalled(writeScript(dir, "echo started; read -r line"), "slow");
    const pending = findFailure(invoke(toConnector(slow), "echo"));
    await waitForLine(({ message }) => message === "started");
    await pool.stopAll();
    expect(await pending).toMatchObject({
      message: expect.stringContaining("the hub is stopping"),
    });
  });
});

describe("the handshake", () => {
  const refusals: [string, string, RegExp][] = [
    ["another core version", "echo '2|1|unix|/x|grpc|'; read -r l", /version 2 of go-plugin/],
    [
      "another application version",
      "echo '1|7|unix|/x|grpc|'; read -r l",
      /version 7 of the connector protocol/,
    ],
    ["another protocol", "echo '1|1|unix|/x|netrpc|'; read -r l", /uses "netrpc"/],
    [
      "a port of another machine",
      "echo '1|1|tcp|10.0.0.1:80|grpc|'; read -r l",
      /not a loopback address/,
    ],
    ["a port without TLS", "echo '1|1|tcp|127.0.0.1:80|grpc|'; read -r l", /a port without TLS/],
    ["a missing socket", "echo '1|1|unix|/nowhere|grpc|'; read -r l", /did not start/],
  ];
  for (const [what, lines, message] of refusals) {
    test(`A plugin is refused after a handshake with ${what}`, async () => {
      const { toConnector, dir } = openProcesses();
      const connector = toConnector(toInstalled(writeScript(dir, lines), "script"));
      expect(await findFailure(invoke(connector, "echo"))).toMatchObject({
        code: "plugin_unavailable",
        message: expect.stringMatching(message),
      });
    });
  }

  test("A server with another certificate than in the handshake is refused", async () => {
    const { toConnector, dir } = openProcesses();
    const { createSelfSigned } = await import("@hub/connector/plugin");
    const other = Buffer.from(createSelfSigned().certificate).toString("base64").replace(/=+$/, "");
    const script = writeScript(
      dir,
      `exec 3<&0; '${fixture.binaryPath}' <&3 | sed -u 's#grpc|.*#grpc|${other}#'`,
    );
    expect(
      await findFailure(invoke(toConnector(toInstalled(script, "script")), "echo")),
    ).toMatchObject({ message: expect.stringContaining("no mutually trusted connection") });
  });

  nightlyTest(
    "A plugin that dies at its start fails with its last lines, and so do calls while it backs off",
    async () => {
      const { toConnector, dir } = openProcesses();
      const json = JSON.stringify({ "@level": "error", "@message": "no such device" });
      const script = writeScript(dir, `echo '${json}' >&2; echo "cannot go on" >&2; exit 9`);
      const connector = toConnector(toInstalled(script, "script"));
      const expected = {
        code: "plugin_unavailable",
        detail: { program_output: "no such device\ncannot go on" },
      };
      expect(await findFailure(invoke(connector, "echo"))).toMatchObject(expected);
      await findFailure(invoke(connector, "echo"));
      const later = await findFailure(invoke(connector, "echo"));
      expect(later).toMatchObject({ ...expected, message: expect.stringContaining("in a row") });
    },
  );

  test("Lines before the handshake are logged", async () => {
    const { toConnector, dir, waitForLine } = openProcesses();
    const script = writeScript(dir, `echo hello; exec '${fixture.binaryPath}'`);
    expect(await findPid(toConnector(toInstalled(script, "fixture")))).toBeGreaterThan(0);
    await waitForLine(({ message }) => message === "hello");
  });
});
