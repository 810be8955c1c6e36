/** A client may start the hub in a clone of a stranger's repository: nothing of it runs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { amount, isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { findProject } from "../packages/cli/src/project/find-project.ts";
import { distrustProject, trustProject } from "../packages/cli/src/project/trust.ts";
import { toProgramCommand } from "./support/compile-programs.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { toToolCall } from "./support/rpc.ts";
import { hubMain, runCli, toHubEnv } from "./support/run-cli.ts";
import { initialize, openCommandSession, type StdioSession } from "./support/stdio-session.ts";
import { checkProtocol } from "./support/stub-project.ts";
import { createTestDatabase, toDatabaseEnv } from "./support/test-database.ts";

setDefaultTimeout(180_000);

const checkout = resolve(import.meta.dirname, "..");

let base: string;
let clone: string;
let home: string;
/** Arguments of `mcp serve` follow it. */
let compiled: string[];
let dropDatabase: () => Promise<void>;
/** The entry of a client that runs this checkout from source. */
let entry: { command: string; args: string[]; env: Record<string, string> };

beforeAll(async () => {
  base = realpathSync(await mkdtemp(join(tmpdir(), "hub-strange-")));
  [clone, home] = [join(base, "clone"), join(base, "home")];
  mkdirSync(join(clone, "sub"), { recursive: true });
  mkdirSync(home);
  const files = {
    "package.json": '{"name":"clone","hub":{"entry":"main.ts"}}',
    "main.ts": toMarker("entry"),
    "preload.ts": toMarker("preload"),
    "plugin.ts": toMarker("plugin"),
    "bunfig.toml": 'preload = ["./preload.ts"]\n[test]\npreload = ["./preload.ts"]\n',
    "tsconfig.json":
      '{"compilerOptions":{"paths":{"*":["./plugin.ts"]},"plugins":[{"name":"./plugin.ts"}]}}',
    ".env": `HUB_DATA_DIR=${join(clone, "env-data")}\nXDG_DATA_HOME=${join(clone, "env-home")}\n`,
    ".env.local": `HUB_LOG_LEVEL=loud\n`,
  };
  dropDatabase = await createTestDatabase(base);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, name), text);
  compiled = [await findCompiled(), "mcp", "serve"];
  entry = await readEntry("dev");
});

/**
 * The program that clients start. `npm test` has compiled the same sources for all tests, so `.ci/run` builds no second one;
 * `mcp-serve-modes.test.ts` shows how a client's program is built.
 */
async function findCompiled(): Promise<string> {
  const [program, ...args] = toProgramCommand(hubMain);
  return isWholeAmount || args.length > 0 ? (await readEntry("auto")).command : program;
}

async function readEntry(mode: string) {
  const args = ["mcp", "config", "--mode", mode, "--project", checkout, "--json"];
  const [first] = (await runCli({ dataDir: base }, args)).json<Array<{ text: string }>>();
  return JSON.parse(first?.text ?? "").mcpServers.hub;
}

afterAll(async () => {
  await dropDatabase();
  await rm(base, { recursive: true, force: true });
});

/** A module that shows that it was loaded. */
function toMarker(name: string): string {
  const file = JSON.stringify(join(base, `${name}-ran`));
  return `import { writeFileSync } from "node:fs"; writeFileSync(${file}, ""); export default {};`;
}

const listMarkers = () => readdirSync(base).filter((name) => name.endsWith("-ran"));

/** Starts the program without a data folder of its own. */
function start(command: string[], cwd: string): StdioSession {
  const { HUB_DATA_DIR: _, ...env } = toHubEnv({ dataDir: base, env: { HOME: home } });
  const [program = "", ...args] = command;
  return openCommandSession({ command: program, args, env, cwd });
}

async function listConnectors(session: StdioSession): Promise<string[]> {
  session.send(initialize);
  session.send(toToolCall("hub_list", {}, 1));
  const { value } = readAnswer((await session.answerTo(1)).result);
  await session.close();
  checkProtocol(session);
  const names = value.tools.map((tool: { connector: string }) => tool.connector);
  return [...new Set<string>(names)];
}

test.each(["clone", "clone/sub"])("In %s, the hub runs nothing of the clone", async (folder) => {
  rmSync(join(clone, ".hub"), { recursive: true, force: true });
  await using session = start(compiled, join(base, folder));
  expect(await listConnectors(session)).toEqual(["Hub", "Workflows"]);
  expect(session.stderr()).toContain(
    `warning: ${clone} is a project of the hub, but it is not used, because it may not be yours. To use it, add --project ${clone}, or run "hub mcp install" in its folder.\n`,
  );
  expect(listMarkers()).toEqual([]);
  expect(readdirSync(clone)).not.toContain("env-data");
  expect(existsSync(join(home, ".local/share/hub"))).toBeTrue();
});

test("A data folder in the clone is not used, because it can contain plugins", async () => {
  mkdirSync(join(clone, ".hub", "plugins"), { recursive: true });
  await using session = start(compiled, clone);
  await listConnectors(session);
  expect(session.stderr()).toContain(
    `warning: The data folder ${join(clone, ".hub")} is not used, because it may not be yours. This hub uses ${join(home, ".local/share/hub")}. To use the other one, add --project ${clone}.\n`,
  );
  expect(readdirSync(join(clone, ".hub"))).toEqual(["plugins"]);
});

test("The names of folders in the clone do not forge lines of the hub", async () => {
  const folder = join(clone, "sub", "a\nwarning: b\u001B[31m");
  mkdirSync(join(folder, ".hub"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"hub":{"entry":"main.ts"}}');
  writeFileSync(join(folder, "main.ts"), "");
  await using session = start(compiled, folder);
  await listConnectors(session);
  const shown = `warning: ${join(clone, "sub", "a\uFFFDwarning: b\uFFFD[31m")} is a project`;
  expect(session.stderr()).toStartWith(shown);
  expect(session.stderr().split("\n")).toHaveLength(3);
});

test("Records of trust in the clone do not count", async () => {
  const project = findProject(clone);
  if (project === null) throw new Error("There is no project.");
  trustProject(project, { HOME: join(clone, "env-home") });
  trustProject(project, { XDG_DATA_HOME: join(clone, "env-home") });
  await using session = start(compiled, clone);
  expect(await listConnectors(session)).toEqual(["Hub", "Workflows"]);
  expect(listMarkers()).toEqual([]);
});

test("mcp config in the clone prints an entry of this hub, without the clone's data", async () => {
  const [program = ""] = compiled;
  // The mode `build` builds a missing program.
  const mode = amount("dev", "build");
  await using session = start([program, "mcp", "config", "--mode", mode, "--json"], clone);
  expect(await session.exited()).toBe(0);
  const [first] = JSON.parse(session.stdout());
  const env = { HUB_DATA_DIR: join(home, ".local/share/hub"), HUB_BASE_URL: "http://localhost:0" };
  expect(JSON.parse(first.text).mcpServers.hub).toEqual(
    mode === "dev"
      ? { command: program, args: entry.args, cwd: checkout, env: { ...env, BUN_BE_BUN: "1" } }
      : { command: program, args: ["mcp", "serve", "--mode", mode, "--project", checkout], env },
  );
  expect(existsSync(join(clone, ".hub", "bin"))).toBeFalse();
});

nightlyTest("Client entries that run from source load nothing of the clone", async () => {
  await using session = openCommandSession({
    ...entry,
    // Not what it says when another test has just killed a hub.
    env: { ...entry.env, ...toDatabaseEnv(base), HUB_LOG_LEVEL: "warn" },
    cwd: clone,
  });
  expect(await listConnectors(session)).toEqual(["Hub", "Workflows"]);
  expect(session.stderr()).toBe("");
  expect(listMarkers()).toEqual([]);
});

test("The project runs with --project, and after the user trusted it", async () => {
  const ran = join(base, "entry-ran");
  // In a project that the user trusts, it would replace the entry.
  rmSync(join(clone, "tsconfig.json"));
  const run = async (...args: string[]) => {
    await using session = start([...compiled, "--mode", "dev", ...args], clone);
    await session.exited();
    const hasRun = existsSync(ran);
    rmSync(ran, { force: true });
    return hasRun;
  };
  expect(await run("--project", ".")).toBeTrue();
  const project = findProject(clone);
  if (project === null) throw new Error("There is no project.");
  trustProject(project, { HOME: home });
  expect(await run()).toBeTrue();
  distrustProject(project, { HOME: home });
  // Its own settings and modules are not loaded either, so that all modes do the same.
  expect(listMarkers()).toEqual([]);
});
