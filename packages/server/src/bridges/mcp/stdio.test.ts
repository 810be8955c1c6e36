import { afterAll, afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import { isWholeAmount, someOf } from "../../lib/testing/amount.ts";
import { nightlyTest } from "../../lib/testing/nightly-test.ts";
import { waitUntil } from "../../lib/testing/wait-until.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { createFence } from "../../plugins/fence/fence.ts";
import { createProcessGuard } from "../../plugins/process/process-guard.ts";
import { isAlive } from "../../plugins/testing/is-alive.ts";
import { openTestBridge } from "./testing/open-test-bridge.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ignore = () => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
/** One for the file, because its start and end take most of the processor time of a short program. */
const guard = createProcessGuard({ log, systemTmp: tmpdir() });
afterAll(() => guard.close());

function open(options: Parameters<typeof openTestBridge>[0] = {}) {
  const bridge = openTestBridge({ guard, ...options });
  closers.push(bridge.close);
  return bridge;
}

const script = join(import.meta.dirname, "testing/stdio-test-server.ts");
const toConfig = (fault = "none") => ({
  transport: "stdio",
  command: process.execPath,
  args: [{ value: script }, { value: fault }],
});

test("A program runs in the row's folder, with a small environment and three descriptors", async () => {
  const bridge = open();
  const config = { ...toConfig(), env: "API_KEY=the-key-of-the-row\nMODE=fast" };
  expect(await bridge.discover(config)).toMatchObject([{ sourceName: "pid", destructive: true }]);
  const { result: environment, received } = await bridge.callTool(config, "environment");
  expect(environment).toMatchObject({ API_KEY: "the-key-of-the-row", MODE: "fast" });
  expect(Object.keys(environment as object).sort()).toEqual(
    expect.arrayContaining(["API_KEY", "HOME", "MODE", "PATH", "TMPDIR"]),
  );
  expect(environment).not.toHaveProperty("HUB_SECRET");
  expect(received).toContainEqual(["mask", "the-key-of-the-row", { ofRow: true }]);
  const { result: folder } = await bridge.callTool(config, "folder");
  expect(folder).toBe((environment as { HOME: string }).HOME);
});

test("Arguments name secrets of the row, which are masked and not logged", async () => {
  const bridge = open();
  const toSecretConfig = (secrets: string) => ({
    transport: "stdio",
    command: "/bin/sh",
    secrets,
    args: [
      { value: "-c" },
      { value: 'echo "$1 $2" >&2; exit 5' },
      { value: "sh" },
      { value: `--token=\${TOKEN}` },
      { value: `\${OTHER}` },
    ],
  });
  const run = async (secrets: string) => {
    await expect(bridge.callTool(toSecretConfig(secrets), "any")).rejects.toThrow("code 5");
    return bridge.logged.map(({ message }) => message).join("\n");
  };
  const text = await run('{"TOKEN":"the-t0ken-of-the-row","OTHER":"an-0ther-secret"}');
  expect(text).toContain("--token=");
  expect(text).not.toContain("the-t0ken-of-the-row");
  expect(text).not.toContain("an-0ther-secret");
  const missing = bridge.callTool(toSecretConfig("TOKEN=the-t0ken-of-the-row"), "any");
  await expect(missing).rejects.toThrow("Secrets has no value for OTHER");
  // Rows that were made before the field existed pass such a text on as it is.
  expect(await run("")).toContain(`--token=\${TOKEN} \${OTHER}`);
});

const toShell = (line: string) => ({
  transport: "stdio",
  command: "/bin/sh",
  args: [{ value: "-c" }, { value: line }],
});

test("A byte order mark before the first message is left out", async () => {
  const bridge = open();
  const line = `printf "\\357\\273\\277"; exec "${process.execPath}" "${script}"`;
  expect((await bridge.callTool(toShell(line), "echo")).result).toBe("echo");
  expect(bridge.logged.map(({ message }) => message)).toEqual([]);
});

test.each(
  someOf(2, [
    ["a mark and little-endian", "\\377\\376{\\0}\\0\\n\\0"],
    ["little-endian", "{\\0}\\0\\n\\0"],
    ["big-endian", "\\0{\\0}\\0\\n"],
    ["a mark and big-endian", "\\376\\377\\0{\\0}\\0\\n"],
  ] as const),
)("A program that writes UTF-16 is refused at once, with the reason: %s", async (_, bytes) => {
  // No time limit ends the call.
  const bridge = open({ timers: createManualTimers() });
  const config = toShell(`printf '${bytes}'; exec cat >&2`);
  await expect(bridge.callTool(config, "echo")).rejects.toThrow(
    "writes UTF-16. A server must write UTF-8",
  );
});

test("A program gets no descriptors of the hub", async () => {
  const bridge = open();
  const config = {
    transport: "stdio",
    command: "/bin/sh",
    args: [{ value: "-c" }, { value: "ls /proc/self/fd >&2; exit 5" }],
  };
  await expect(bridge.callTool(config, "any")).rejects.toThrow("code 5");
  const seen = bridge.logged.map(({ message }) => message).filter((line) => /^\d+$/.test(line));
  // `ls` itself opens the folder as 3.
  expect([...new Set(seen)].sort()).toEqual(["0", "1", "2", "3"]);
});

test("Each user has an own process, which ends when it is idle", async () => {
  const bridge = open({ idleMs: 1 });
  const call = async (userId: string) =>
    Number((await bridge.callTool(toConfig(), "pid", {}, { userId })).result);
  const [ada, bob] = await Promise.all([call("ada"), call("bob")]);
  expect(ada).not.toBe(bob);
  await waitUntil(() => !isAlive(ada) && !isAlive(bob) && bridge.sessions.count() === 0);
});

test("A crash fails the running calls with its reason, and the next call starts it again", async () => {
  const bridge = open();
  const config = toConfig();
  await bridge.callTool(config, "pid");
  const pending = bridge.callTool(config, "never").catch((thrown: Error) => thrown.message);
  await expect(bridge.callTool(config, "crash")).rejects.toThrow("ended with code 7");
  expect(await pending).toContain("ended with code 7");
  expect((await bridge.callTool(config, "hello")).result).toBe("hello");
});

test("A server that exits at once fails with its code, and then backs off", async () => {
  const bridge = open();
  await expect(bridge.callTool(toConfig("exit"), "any")).rejects.toThrow("ended with code 3");
  await expect(bridge.callTool(toConfig("exit"), "any")).rejects.toThrow("times in a row");
  expect((await bridge.callTool(toConfig(), "hello")).result).toBe("hello");
});

test("A server that ends at the first request of the newer protocol is started for the older one", async () => {
  expect((await open().callTool(toConfig("exit-at-probe"), "hello")).result).toBe("hello");
});

/** The failure of a call, and the last lines that it has for admins. */
async function failWith(bridge: ReturnType<typeof open>, config: Record<string, unknown>) {
  const thrown = await bridge.callTool(config, "any").catch((failure: unknown) => failure);
  if (!(thrown instanceof ProgramFailure)) throw new Error("no ProgramFailure", { cause: thrown });
  return { message: thrown.message, output: thrown.programOutput };
}

test("A program that ends at its start fails with its last lines, and so do calls while it backs off", async () => {
  const bridge = open();
  const config = toShell("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n >&2; done; exit 4");
  const { message, output } = await failWith(bridge, config);
  expect(message).toContain("It ended with code 4. An admin sees its last lines");
  expect(output.split("\n")).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `line ${n}`));
  const later = await failWith(bridge, config);
  expect(later.message).toContain("times in a row");
  expect(later.output).toBe(output);
  const health = await bridge.health(config);
  expect(health).toMatchObject({ ok: false, program_output: output });
});

nightlyTest.each([
  [
    "has control characters and a secret",
    "printf '\\033[31mred\\033[0m %s\\n' \"$TOKEN\" >&2",
    "[31mred[0m [secret]",
  ],
  ["has no end", "printf '%0100000d' 0 >&2", "A longer line was omitted."],
  ["is empty", ":", ""],
])("The last lines of a program are masked and short if its output %s", async (_, line, shown) => {
  const env = "TOKEN=the-t0ken-of-the-row";
  const { message, output } = await failWith(open(), { ...toShell(`${line}; exit 1`), env });
  expect(output).toBe(shown);
  expect(message.includes("It wrote nothing")).toBe(shown === "");
});

test.each([
  "exit 127",
  "echo 'npm error code E404' >&2; exit 1",
])("A program that cannot run at all is started once: %s", async (end) => {
  const bridge = open();
  await failWith(bridge, toShell(`echo started >>starts; ${end}`));
  const [row = ""] = readdirSync(bridge.folder).filter((name) => name.endsWith("00f"));
  expect(readFileSync(join(bridge.folder, row, "starts"), "utf8")).toBe("started\n");
});

nightlyTest(
  "A program that does not answer is ended at the limit, with what it wrote, and not started again",
  async () => {
    const bridge = open({ startMs: 300 });
    const hanging = toShell(
      "echo started >>starts; echo listening on port 80 >&2; exec sleep 1000",
    );
    const { message, output } = await failWith(bridge, hanging);
    expect(message).toContain("did not answer within 300 ms of its start");
    expect(message).toContain("HUB_BRIDGE_START_SECONDS");
    expect(output).toBe("listening on port 80");
    const [row = ""] = readdirSync(bridge.folder).filter((name) => name.endsWith("00f"));
    expect(readFileSync(join(bridge.folder, row, "starts"), "utf8")).toBe("started\n");
  },
);

nightlyTest(
  "A program that ended late has the rest of the limit when it is started for the older protocol",
  async () => {
    const startMs = 600_000;
    let bridge: ReturnType<typeof open> | null = null;
    // The first start takes almost the whole limit.
    const now = () => systemTimers.now() + (bridge?.starts() ? startMs - 100 : 0);
    bridge = open({ startMs, timers: { ...systemTimers, now } });
    const config = toShell(
      "[ -e started ] && exec cat >/dev/null; touch started; read line; exit 1",
    );
    const { message } = await failWith(bridge, config);
    expect(message).toContain("did not answer within 600 s of its first start");
    expect(bridge.starts()).toBe(2);
  },
);

nightlyTest("A program that answers late is not started again", async () => {
  const bridge = open({ startMs: 1000 });
  // The first request of the newer protocol is read by nothing, as while a package is downloaded.
  const config = toShell(`read line; exec "${process.execPath}" "${script}"`);
  expect((await bridge.callTool(config, "echo")).result).toBe("echo");
  expect(bridge.starts()).toBe(1);
});

test("A discovery, a check and a call of one user start the program once, and the first says that it starts", async () => {
  const bridge = open();
  const config = toConfig();
  await bridge.discover(config);
  await bridge.health(config);
  const { result: pid, received } = await bridge.callTool(config, "pid");
  expect((await bridge.callTool(config, "pid")).result).toBe(pid);
  expect(bridge.starts()).toBe(1);
  expect(received.filter(([what]) => what === "progress")).toEqual([]);
  const other = await bridge.callTool(config, "pid", {}, { userId: "other" });
  expect(other.received).toContainEqual([
    "progress",
    0,
    "The program of this row is starting. Its first start may take up to 60 s.",
  ]);
});

test("The programs of all rows share npm's cache, unless a row names its own", async () => {
  const bridge = open();
  const findCache = async (rowId: string, env = "") => {
    const { result } = await bridge.callTool({ ...toConfig(), env }, "environment", {}, { rowId });
    return (result as Record<string, string>).npm_config_cache ?? "";
  };
  expect(await findCache("one")).toBe(join(bridge.folder, "npm-cache"));
  if (isWholeAmount) expect(await findCache("two")).toBe(join(bridge.folder, "npm-cache"));
  expect(statSync(join(bridge.folder, "npm-cache")).mode & 0o777).toBe(0o700);
  expect(await findCache("three", "npm_config_cache=/elsewhere")).toBe("/elsewhere");
});

test("A command that does not exist fails with a sentence and without a path", async () => {
  const config = { ...toConfig(), command: "/nowhere/at/all" };
  const message = await open()
    .callTool(config, "any")
    .catch((thrown: Error) => thrown.message);
  expect(message).toContain("did not start");
  expect(message).not.toContain("/nowhere");
});

test("Text on stdout that is no message is ignored and logged once", async () => {
  const bridge = open();
  expect((await bridge.callTool(toConfig("garbage"), "hello")).result).toBe("hello");
  expect(bridge.logged.filter(({ message }) => message.includes("not a message"))).toHaveLength(1);
});

test("A giant line fails the call and ends the process", async () => {
  const bridge = open();
  const pid = Number((await bridge.callTool(toConfig(), "pid")).result);
  await expect(bridge.callTool(toConfig(), "long-line")).rejects.toThrow("too large");
  await waitUntil(() => !isAlive(pid));
});

test("A child that stays behind ends with its server", async () => {
  const bridge = open();
  const child = Number((await bridge.callTool(toConfig(), "fork")).result);
  expect(isAlive(child)).toBe(true);
  await bridge.close();
  await waitUntil(() => !isAlive(child));
});

test.skipIf(process.platform !== "linux")(
  "A process that left its program's group and parent ends with the program",
  async () => {
    const bridge = open();
    const child = Number((await bridge.callTool(toConfig(), "double-fork")).result);
    expect(isAlive(child)).toBe(true);
    await expect(bridge.callTool(toConfig(), "crash")).rejects.toThrow("code 7");
    await waitUntil(() => !isAlive(child));
  },
);

nightlyTest("A flood on stderr is cut in the log, and other servers answer", async () => {
  const bridge = open();
  const flooding = bridge.callTool(toConfig("stderr"), "hello").catch(() => null);
  expect((await bridge.callTool(toConfig(), "hello")).result).toBe("hello");
  expect(bridge.logged.length).toBeLessThan(2000);
  await bridge.close();
  await flooding;
});

test("A flood of notifications reaches onChanged once, and other servers answer", async () => {
  let changes = 0;
  const bridge = open({
    onChanged() {
      changes += 1;
    },
  });
  const config = toConfig("flood");
  const flooding = bridge.callTool(config, "hello").catch(() => null);
  await waitUntil(() => changes > 0);
  expect((await bridge.callTool(toConfig(), "hello", {}, { rowId: "other" })).result).toBe("hello");
  expect(changes).toBe(1);
  await bridge.close();
  await flooding;
});

test("A server that never answers ends with the call's time limit and harms no other call", async () => {
  const bridge = open();
  const abort = new AbortController();
  const silent = bridge
    .callTool(toConfig("silent"), "any", {}, { signal: abort.signal })
    .catch((thrown: Error) => thrown.message);
  expect((await bridge.callTool(toConfig(), "hello")).result).toBe("hello");
  abort.abort(new Error("time limit"));
  expect(await silent).toBe("time limit");
});

test("A program, its child and its double fork end when the hub is killed", async () => {
  const hub = Bun.spawn([process.execPath, join(import.meta.dirname, "testing/killed-hub.ts")]);
  const pids = (await hub.stdout.text()).split(" ").map(Number);
  expect(pids).toHaveLength(3);
  await waitUntil(() => !pids.some(isAlive));
});

test.skipIf(!createFence({ dataDir: "/", mode: "auto" }).launches())(
  "A fenced program of a row reads neither the hub's keys nor its environment",
  async () => {
    const reachFrom = async (fenceMode: "auto" | "off") => {
      const bridge = open({ fenceMode });
      const keys = join(bridge.folder, "keys.json");
      writeFileSync(keys, "the keys");
      const files = [keys, `/proc/${process.pid}/environ`];
      const goals = { files, pid: process.pid, write: join(bridge.folder, "new") };
      const { result } = await bridge.callTool(toConfig(), "reach", goals);
      return Object.values(result as object);
    };
    expect(await reachFrom("auto")).toEqual(["EACCES", "EACCES", expect.any(String), "EACCES"]);
    const environment = expect.stringContaining("=");
    expect(await reachFrom("off")).toEqual(["the keys", environment, "sent", "written"]);
  },
);
