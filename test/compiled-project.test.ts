/** A hub with its own connector, compiled: what clients get from its program. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { runCommand } from "./support/command-process.ts";
import { connectCommand } from "./support/connect-sdk-1.ts";
import { runCli } from "./support/run-cli.ts";
import { createTestDatabase, toDatabaseEnv } from "./support/test-database.ts";

setDefaultTimeout(180_000);

const checkout = resolve(import.meta.dirname, "..");

/** At night the first build has bytecode, as all builds of a user. The small project of `mcp-serve-modes` always has. */
const isWhole = process.env.HUB_TEST_WHOLE_BUILDS === "1";
const withoutBytecode = {
  BUN_OPTIONS: `--preload ${join(import.meta.dirname, "support/without-bytecode.ts")}`,
};

type Entry = { command: string; args: string[]; env: Record<string, string>; cwd?: string };

/** What `mcp config` prints for one client. */
type ClientEntry = { target: string; text: string };

let base: string;
let root: string;
let dataDir: string;
let rowId: string;
let dropDatabase: () => Promise<void>;
/** The entries of the mode `auto`, for which the project was compiled. */
let entries: ClientEntry[];
let entry: Entry;

beforeAll(async () => {
  base = realpathSync(await mkdtemp(join(tmpdir(), "hub-compiled-")));
  [root, dataDir] = [join(base, "acme"), join(base, "data")];
  mkdirSync(join(root, "node_modules"), { recursive: true });
  mkdirSync(join(root, ".git"));
  mkdirSync(dataDir);
  symlinkSync(join(checkout, "node_modules/@hub"), join(root, "node_modules/@hub"));
  writeFileSync(join(root, ".git/HEAD"), "abcdef0123456789abcdef0123456789abcdef01\n");
  writeFileSync(
    join(root, "package.json"),
    '{"name":"acme-hub","type":"module","hub":{"entry":"main.ts"}}',
  );
  writeMain("Lists the stock.");
  dropDatabase = await createTestDatabase(dataDir);
  const added = await runProgram("row", "add", "store", "--label", "Store", "--json");
  rowId = added.json<{ id: string }>().id;
  entries = await readEntries("auto");
  entry = readEntry(entries);
});

afterAll(async () => {
  await dropDatabase();
  await rm(base, { recursive: true, force: true });
});

function writeMain(description: string): void {
  writeFileSync(
    join(root, "main.ts"),
    `import { runHub } from "@hub/cli";
import { defineConnector } from "@hub/connector";

const store = defineConnector({
  key: "store",
  name: "Store",
  icon: "building-store",
  tier: "builtin",
  description: "The stock of a store.",
  config: {},
  operations: {
    list: {
      name: "List",
      description: ${JSON.stringify(description)},
      input: {},
      run: async () => ({ items: Array.from({ length: 4_000 }, (_, at) => "item ".repeat(20) + at) }),
    },
  },
});

await runHub({ connectors: [store], name: "acme-hub", version: "1.2.3" });
`,
  );
}

/** Runs a command of the project from source. */
function runProgram(...args: string[]) {
  return runCli({ main: join(root, "main.ts"), dataDir }, args);
}

/** The entries of all clients. */
async function readEntries(mode: string, ...options: string[]): Promise<ClientEntry[]> {
  const args = ["mcp", "config", "--mode", mode, "--project", root, ...options, "--json"];
  const env = { HUB_PORT: "7420", ...(isWhole ? {} : withoutBytecode) };
  const from = { dataDir, env, isFromSource: true };
  return (await runCli(from, args)).json<ClientEntry[]>();
}

/** The entry of the first client. */
function readEntry([first]: readonly ClientEntry[]): Entry {
  return JSON.parse(first?.text ?? "").mcpServers.hub;
}

/** Parses command, arguments and environment as the client does. */
function parseEntry({ target, text }: ClientEntry): unknown {
  if (target === "codex") return Object(Bun.TOML.parse(text)).mcp_servers.hub;
  // Each of these files has one container with one server.
  const [container = {}] = Object.values<Record<string, object>>(JSON.parse(text));
  const { type: _, environment, ...server } = Object(container.hub);
  if (target !== "opencode") return server;
  return { command: server.command[0], args: server.command.slice(1), env: environment };
}

/** Starts the server of an entry as a client in another folder does. */
const connect = ({ env, ...entry }: Entry) =>
  connectCommand({ ...entry, env: { ...env, ...toDatabaseEnv(dataDir) }, cwd: "/" });

const program = () => join(root, ".hub/bin/acme-hub");
const readBuildId = () => JSON.parse(readFileSync(`${program()}.json`, "utf8")).id;

test("Entries name the compiled program, or command, arguments and folder of the source", async () => {
  expect(readEntry(await readEntries("build"))).toEqual({
    command: program(),
    args: ["mcp", "serve", "--mode", "build", "--project", root],
    env: { HUB_DATA_DIR: dataDir },
  });
  const { command, args, cwd, env } = readEntry(await readEntries("dev"));
  expect({ command, cwd, env }).toEqual({
    command: process.execPath,
    cwd: root,
    env: { HUB_DATA_DIR: dataDir },
  });
  const serve = ["mcp", "serve", "--mode", "dev", "--project", root];
  expect(args.slice(-7)).toEqual([join(root, "main.ts"), ...serve]);
  await runCommand({ dataDir }, ["user", "add", "ada@example.com"]);
  const { args: userArgs } = readEntry(await readEntries("build", "--user", "ada@example.com"));
  expect(userArgs.slice(-4)).toEqual(["--project", root, "--user", "ada@example.com"]);
});

test("The entries of all clients start the same program with the same arguments", () => {
  expect(entries).toHaveLength(8);
  for (const each of entries) expect(parseEntry(each)).toEqual(entry);
  const args = ["mcp", "serve", "--mode", "auto", "--project", root];
  expect(entry).toEqual({ command: program(), args, env: { HUB_DATA_DIR: dataDir } });
});

nightlyTest(
  "hub_info has the version of the hub, the build time and the project's commit, and large results are searched in the worker",
  async () => {
    const { built_at: builtAt } = JSON.parse(readFileSync(`${program()}.json`, "utf8"));
    await using client = await connect(entry);
    expect((await client.call("hub_info")).value).toMatchObject({
      hub_version: readFileSync(join(checkout, "VERSION"), "utf8").trim(),
      server_build_time: builtAt.replace(/\.\d+Z$/, "Z"),
      server_commit: "abcdef0",
    });

    // It searches large results for secrets in its worker.
    const { isError, value } = await client.execute(`conn:${rowId}/list`);
    expect(isError).toBeFalse();
    expect(value.items).toHaveLength(4_000);
  },
);

test("The compiled program reads scripts in a process of its own program", async () => {
  const { command, env } = entry;
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "script" }],
    nodes: [{ id: "script", type: "code", source: "const a = 1;\nreturn a +* 2;" }],
  };
  const child = Bun.spawn([command, "workflow", "validate", "--file", "-", "--json"], {
    env: { ...env, ...toDatabaseEnv(dataDir) },
    cwd: "/",
    stdin: new Blob([JSON.stringify(body)]),
    stdout: "pipe",
  });
  const { problems } = JSON.parse(await child.stdout.text());
  expect(problems).toMatchObject([
    { path: "/nodes/0/source", message: expect.stringContaining("on line 2: SyntaxError") },
  ]);
});

// `mcp-serve-modes.test.ts` shows it with the small project.
nightlyTest("The compiled program builds itself again when the source changed", async () => {
  const id = readBuildId();
  const env = { ...entry.env, ...withoutBytecode };
  const describe = async () => {
    await using client = await connect({ ...entry, env });
    return (await client.call("hub_get", { tool_id: `conn:${rowId}/list` })).value.description;
  };
  expect(await describe()).not.toBe("Lists the stock again.");
  expect(readBuildId()).toBe(id);
  writeMain("Lists the stock again.");
  expect(await describe()).toBe("Lists the stock again.");
  expect(readBuildId()).not.toBe(id);
});

nightlyTest.each(["auto", "dev"])(
  "In mode %s, hub_encrypt names a command that works",
  async (mode) => {
    const args = ["mcp", "serve", "--mode", mode, "--project", root];
    await using client = await connect({ ...entry, args });
    const { message } = (await client.call("hub_encrypt")).value;
    const [, command = ""] = /The full command is: (.*? encrypt)\. /.exec(message) ?? [];
    const run = Bun.spawn(["sh", "-c", command], {
      env: { PATH: process.env.PATH, CI: "1" },
      cwd: "/",
      stdin: new Blob(["a typed secret"]),
      stdout: "pipe",
    });
    expect(await run.stdout.text()).toMatch(/^hub_enc_[\w-]+\n$/);
  },
);
