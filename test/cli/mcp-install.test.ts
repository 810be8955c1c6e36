/** The entry of the hub in the files of clients: written, updated, printed and removed. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, watch } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { publishedSchemas } from "../../packages/cli/src/clients/testing/published-schemas.ts";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { toProgramCommand } from "../support/compile-programs.ts";
import { connectCommand } from "../support/connect-sdk-1.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { hubMain, runCli, toHubEnv } from "../support/run-cli.ts";
import { sqliteEnv } from "../support/test-database.ts";

type Report = {
  client: string;
  target: string;
  file: string;
  outcome: string;
  reason: string | null;
  backup: string | null;
  notes: string[];
  diff?: string;
};
type Reports = { name: string; dry_run: boolean; clients: Report[] };

const email = "ada@example.com";
const files = {
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  cursor: ".cursor/mcp.json",
  "gemini-cli": ".gemini/settings.json",
  codex: ".codex/config.toml",
  "claude-code": ".claude.json",
};
const others = {
  vscode: ".config/Code/User/mcp.json",
  opencode: ".config/opencode/opencode.json",
  zed: ".config/zed/settings.json",
};

let data: DataFolder;
let commands: CommandProcess;
let home: string;
const owned = new AsyncDisposableStack();
beforeAll(async () => {
  data = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: data.path, env: sqliteEnv }));
  await runHere("user", "add", email);
});
afterAll(() => owned.disposeAsync());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hub-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A home folder without other clients on the PATH, and SQLite, which entries need no secret for. */
const toEnv = () => ({ HOME: home, PATH: "/usr/bin:/bin", ...sqliteEnv });

/** Runs a command in the process that runs most commands of this file. */
const runHere = (...argv: string[]) => commands.run({ argv, env: toEnv() });
const run = (...args: string[]) => runHere("mcp", ...args);

/** Runs a command as users do, in a process of its own. */
const installAlone = (...args: string[]) =>
  runCli({ dataDir: data.path, env: toEnv() }, ["mcp", "install", ...dev, ...args]);

const dev = ["--mode", "dev"];
const toInstall = (client: string) => ["mcp", "install", ...dev, "--client", client];
const install = (...args: string[]) => run("install", ...dev, ...args);
const installJson = async (...args: string[]) =>
  (await install("--json", ...args)).json<Reports>().clients;
const uninstallJson = async (...args: string[]) =>
  (await run("uninstall", "--json", ...args)).json<Reports>().clients;

const read = (file: string) => readFile(join(home, file), "utf8");

async function write(file: string, text: string, mode = 0o644): Promise<string> {
  const path = join(home, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
  return path;
}

describe("one client", () => {
  test("Without --client the entry goes to Claude Desktop, and the text says what to do next", async () => {
    const { exitCode, stdout, stderr } = await installAlone();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const file = join(home, files["claude-desktop"]);
    expect(stdout).toBe(`Claude Desktop: added "hub" to ${file}.
  Claude Desktop does not seem to be installed here.
  Quit Claude Desktop completely and start it again.

To undo this, run: hub mcp uninstall --client claude-desktop
`);
  });

  test.each(
    Object.entries({ ...files, ...others }),
  )("The entry of %s is written to its file, and removed again", async (client, file) => {
    const [report] = await installJson("--client", client);
    expect(report).toMatchObject({ target: client, file: join(home, file), outcome: "installed" });
    const text = await read(file);
    expect(findShapeFaults(client, text)).toEqual([]);
    const { command, args, cwd, env } = readServer(client, text);
    // The process that runs the commands has no project, so the entry names its folder.
    const folder = args[args.indexOf("--project") + 1];
    expect(cwd).toBe(client === "zed" ? undefined : folder);
    expect([command, ...args].join(" ")).toContain(" mcp serve --mode dev --project /");
    expect(env.HUB_DATA_DIR).toBe(data.path);
    const [removed] = await uninstallJson("--client", client);
    expect(removed).toMatchObject({ outcome: "removed" });
    // A folder that the installation made is gone, and the home folder stays.
    const place = dirname(join(home, file));
    expect(existsSync(place)).toBe(place === home);
  });

  // `mcp-serve-modes.test.ts` starts what entries name.
  nightlyTest(
    "The entry starts the hub as written, and a second installation changes nothing",
    async () => {
      await installAlone("--client", "codex");
      const text = await read(files.codex);
      expect(readServer("codex", text).cwd).toBe(resolve(import.meta.dirname, "../.."));
      const again = (await installAlone("--client", "codex", "--json")).json<Reports>().clients[0];
      expect(again).toMatchObject({ outcome: "unchanged", backup: null });
      expect(await read(files.codex)).toBe(text);
      await using client = await connectCommand({ ...readServer("codex", text), cwd: "/" });
      expect((await client.call("hub_list")).value.total).toBeGreaterThan(0);
    },
  );

  test("The rest of a file, its mode and the link to it stay, and its first version is kept", async () => {
    const text = '{\r\n\t// mine\r\n\t"theme": "dark", // night\r\n\t"unknown": [1]\r\n}\r\n';
    const real = await write("dotfiles/gemini.json", text, 0o640);
    await mkdir(join(home, ".gemini"));
    await symlink(real, join(home, files["gemini-cli"]));

    const [report] = await installJson("--client", "gemini-cli");
    expect(report).toMatchObject({ outcome: "installed", backup: `${real}.bak` });
    expect(await readFile(`${real}.bak`, "utf8")).toBe(text);
    const written = await readFile(real, "utf8");
    expect(written.replace(/,\r\n\t"mcpServers": \{[\s\S]*\r\n\t\}/, "")).toBe(text);
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    expect((await lstat(join(home, files["gemini-cli"]))).isSymbolicLink()).toBe(true);

    await uninstallJson("--client", "gemini-cli");
    expect(await readFile(real, "utf8")).toBe(text);
  });

  test("--name, --user and --mode are in the entry, and another --mode updates it", async () => {
    const named = ["--client", "codex", "--name", "tracker"];
    await install(...named, "--user", email);
    const server = () => read(files.codex).then((text) => readServer("codex", text, "tracker"));
    expect((await server()).args.slice(-6)).toEqual([
      ...["--mode", "dev", "--project", expect.any(String)],
      ...["--user", email],
    ]);
    const [report] = await installJson(...named);
    expect(report).toMatchObject({ outcome: "updated" });
    expect((await server()).args).not.toContain("--user");
  });

  test.each([
    ["a new file", null],
    ["a file of the user", '{\n  "theme": "dark"\n}\n'],
  ])("An updated entry in %s is removed, although the backup has the first one", async (_, old) => {
    if (old !== null) await write(files.cursor, old);
    await installJson("--client", "cursor");
    // Then the update makes the backup.
    await rm(join(home, `${files.cursor}.bak`), { force: true });
    await installJson("--client", "cursor", "--user", email);
    expect(await read(`${files.cursor}.bak`)).toContain('"hub"');
    expect(await uninstallJson("--client", "cursor")).toMatchObject([{ outcome: "removed" }]);
    expect(await read(files.cursor).catch(() => null)).toBe(old);
  });

  test("An unknown user is refused before anything is written", async () => {
    const wrong = ["--user", "eve@example.com", "--json"];
    const { exitCode, stdout, stderr } = await installAlone(...wrong);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ code: "not_found" });
    expect(await readdir(home)).toEqual([]);
  });

  test("An unknown user creates no data folder", async () => {
    const dataDir = join(home, "data");
    const env = toEnv();
    const args = ["install", ...dev, "--user", "eve@example.com"];
    const { stderr } = await runCli({ dataDir, env, cwd: "/" }, ["mcp", ...args]);
    expect(stderr).toContain(
      `There is no user "eve@example.com", because the data folder ${dataDir} has no database yet.`,
    );
    expect(await readdir(home)).toEqual([]);
  });
});

nightlyTest(
  "An installation that is killed while it writes leaves the old file or the new one",
  async () => {
    const old = '{\n  "theme": "dark"\n}\n';
    const file = await write(files.cursor, old);
    await installAlone("--client", "cursor");
    const complete = await read(files.cursor);
    for (let attempt = 0; attempt < 3; attempt++) {
      await writeFile(file, old);
      const child = Bun.spawn([...toProgramCommand(hubMain), ...toInstall("cursor")], {
        env: toHubEnv({ dataDir: data.path, env: toEnv() }),
        cwd: data.path,
        stdout: "ignore",
      });
      // The first file that appears or changes in the folder.
      const watcher = watch(dirname(file), () => child.kill("SIGKILL"));
      await child.exited;
      watcher.close();
      expect([old, complete]).toContain(await read(files.cursor));
    }
    await installAlone("--client", "cursor");
    expect(await read(files.cursor)).toBe(complete);
  },
);

describe("a file that cannot be edited stays as it is", () => {
  test.each([
    ["broken", '{\n  "a": 1\n  "b": 2\n}', 0o644, "line 3, column 3: comma expected."],
    ["read-only", "{}", 0o444, "it is read-only. Allow writing first."],
    ["a list", "[]", 0o644, "line 1, column 1: The file must be an object."],
  ])("A file that is %s is named with the reason", async (_, text, mode, reason) => {
    const file = await write(files.cursor, text, mode);
    const { exitCode, stdout } = await installAlone("--client", "cursor");
    expect(exitCode).toBe(1);
    expect(stdout).toBe(`Cursor: ${file} was not changed: ${reason}\n`);
    expect(await read(files.cursor)).toBe(text);
    expect(await readdir(dirname(file))).toEqual(["mcp.json"]);
  });

  test("Another server of the same name is replaced only with --replace", async () => {
    await write(files.cursor, '{"mcpServers": {"hub": {"command": "mine"}}}');
    const [refused] = await installJson("--client", "cursor");
    expect(refused).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("--replace"),
    });
    const [kept] = await uninstallJson("--client", "cursor");
    expect(kept).toMatchObject({ outcome: "failed" });
    const [replaced] = await installJson("--client", "cursor", "--replace");
    expect(replaced).toMatchObject({ outcome: "updated" });
  });

  test("A client that reads plain JSON only is named if its file has comments", async () => {
    await write(files["claude-code"], "{} // mine\n");
    const notes = ["The file has comments or trailing commas. Claude Code may refuse it."];
    for (const option of ["--dry-run", "--replace"]) {
      const [report] = await installJson("--client", "claude-code", option);
      expect(report?.notes).toEqual(notes);
    }
    await write(files["claude-code"], "\uFEFF{}");
    expect((await installJson("--client", "claude-code"))[0]?.notes).toEqual([]);
    await write(files["gemini-cli"], "{} // mine\n");
    expect((await installJson("--client", "gemini-cli"))[0]?.notes).toEqual([]);
  });
});

describe("--client all", () => {
  test("Clients that are not installed are named and skipped, and one failure stops no other", async () => {
    await write(files.codex, "broken");
    await write(files["claude-code"], "{}");
    await write(others.zed, "{}");
    const { exitCode, stdout } = await installAlone("--client", "all", "--json");
    expect(exitCode).toBe(1);
    const { clients } = JSON.parse(stdout) as Reports;
    expect(clients.map(({ target, outcome }) => [target, outcome])).toEqual([
      ["claude-desktop", "skipped"],
      ["cursor", "skipped"],
      ["gemini-cli", "skipped"],
      ["codex", "failed"],
      ["claude-code", "installed"],
    ]);
    expect(await read(others.zed)).toBe("{}");
  });

  test("If no client is installed, nothing is written and the exit code is 1", async () => {
    const { exitCode, stdout } = await install("--client", "all");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("No client was found. Name one with --client.");
    expect(await readdir(home)).toEqual([]);
  });
});

describe("--dry-run", () => {
  test("It prints the lines that would change, and writes nothing", async () => {
    const text = '{\n  "mcpServers": {\n    "other": {"env": {"KEY": "secret"}}\n  }\n}\n';
    const file = await write(files.cursor, text);
    const { exitCode, stdout } = await install("--client", "cursor", "--dry-run");
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith(`Cursor: would add "hub" to ${file}.\n  @@ line 3 @@\n`);
    expect(stdout).toContain('\n  +    "hub": {\n');
    expect(await read(files.cursor)).toBe(text);
    expect(await readdir(dirname(file))).toEqual(["mcp.json"]);

    await install("--client", "cursor");
    const [report] = await uninstallJson("--client", "cursor", "--dry-run");
    expect(report).toMatchObject({
      outcome: "removed",
      diff: expect.stringContaining('-    "hub"'),
    });
    expect(await read(files.cursor)).toContain('"hub"');
  });

  test("With --http it creates no token", async () => {
    const before = await countTokens();
    const [report] = await installJson(
      "--client",
      "cursor",
      "--http",
      "--user",
      email,
      "--dry-run",
    );
    expect(report?.diff).toContain("Bearer hub_pat_…");
    expect(await countTokens()).toBe(before);
  });
});

describe("--http", () => {
  const http = ["--http", "--user", email];

  test("An unknown user is refused in a dry run too, and without a data folder", async () => {
    const options = ["--client", "cursor", "--http", "--user", "eve@example.com"];
    for (const dryRun of [["--dry-run"], []]) {
      const { stdout, stderr } = await install(...options, ...dryRun);
      expect({ stdout, stderr }).toEqual({
        stdout: "",
        stderr: 'error: There is no user "eve@example.com". Did you mean "ada@example.com"?\n',
      });
    }
    const env = toEnv();
    const dataDir = join(home, "data");
    const { stderr } = await runCli({ dataDir, env, cwd: "/" }, ["mcp", "install", ...options]);
    expect(stderr).toContain("has no database yet.");
    expect(await readdir(home)).toEqual([]);
  });

  test.each([
    "cursor",
    "gemini-cli",
    "codex",
    "claude-code",
    "vscode",
    "opencode",
    "zed",
  ] as const)("The file of %s gets the address and a token, which only its owner can read", async (client) => {
    const file = { ...files, ...others }[client];
    await write(file, "", 0o664);
    const [report] = await installJson("--client", client, ...http);
    expect(report).toMatchObject({ outcome: "installed" });
    const text = await read(file);
    expect(text).toContain("http://localhost:0/mcp");
    expect(findShapeFaults(client, text)).toEqual([]);
    expect(findToken(text)).not.toBe("");
    expect((await stat(join(home, file))).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(report)).not.toContain(findToken(text));
  });

  test("The token stays with the second installation, and ends with the entry", async () => {
    await installJson("--client", "cursor", ...http);
    const text = await read(files.cursor);
    const record = { user: email, scope: "mcp", revoked_at: null };
    expect(await findTokenRecord(findToken(text))).toMatchObject(record);
    const loud = ["--http", "--user", email.toUpperCase()];
    expect(await installJson("--client", "cursor", ...loud)).toMatchObject([
      { outcome: "unchanged" },
    ]);
    expect(await read(files.cursor)).toBe(text);
    const [report] = await uninstallJson("--client", "cursor");
    expect(report?.notes).toContain("The token of the entry was revoked.");
    expect(await findTokenRecord(findToken(text))).toMatchObject({
      revoked_at: expect.any(String),
    });
  });

  test("A program instead of the address revokes the token", async () => {
    await install("--client", "cursor", ...http);
    const token = findToken(await read(files.cursor));
    const [report] = await installJson("--client", "cursor");
    expect(report).toMatchObject({ outcome: "updated" });
    expect(await read(files.cursor)).not.toContain("hub_pat_");
    expect(await findTokenRecord(token)).toMatchObject({ revoked_at: expect.any(String) });
  });

  test("A token that the user created stays valid and is named", async () => {
    const made = await runHere("token", "create", "--user", email, "--name", "laptop");
    const token = made.stdout;
    const headers = { Authorization: `Bearer ${token.trim()}` };
    const entry = { url: "http://localhost:0/mcp", headers };
    await write(files.cursor, JSON.stringify({ mcpServers: { hub: entry } }));
    const [report] = await uninstallJson("--client", "cursor");
    expect(report).toMatchObject({ outcome: "removed" });
    expect(report?.notes.join()).toContain('The token "laptop" of ada@example.com stays valid.');
    expect(await findTokenRecord(token.trim())).toMatchObject({ revoked_at: null });
  });

  test("A token that can do more than call tools is replaced by one that cannot", async () => {
    const create = ["token", "create", "--user", email, "--name", "wide", "--scope", "manage"];
    const token = (await runHere(...create)).stdout.trim();
    const headers = { Authorization: `Bearer ${token}` };
    const entry = { url: "http://localhost:0/mcp", headers };
    await write(files.cursor, JSON.stringify({ mcpServers: { hub: entry } }));
    expect(await findTokenRecord(token)).toMatchObject({ scope: "manage" });
    const [report] = await installJson("--client", "cursor", ...http);
    expect(report).toMatchObject({ outcome: "updated" });
    const text = await read(files.cursor);
    expect(text).not.toContain(token);
    expect(await findTokenRecord(findToken(text))).toMatchObject({ scope: "mcp" });
  });

  test("A token is revoked at once if the file cannot be written", async () => {
    await write(files.cursor, "{}", 0o444);
    const before = await countTokens();
    const [report] = await installJson("--client", "cursor", ...http);
    expect(report).toMatchObject({ outcome: "failed" });
    expect(await countTokens()).toBe(before);
  });

  test("A client that only starts programs is refused, and skipped by all", async () => {
    const { exitCode, stderr } = await install("--client", "claude-desktop", ...http);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Claude Desktop starts programs only");
    await mkdir(join(home, ".config/Claude"), { recursive: true });
    const [report] = await installJson("--client", "all", ...http);
    expect(report).toMatchObject({
      outcome: "skipped",
      reason: expect.stringContaining("programs only"),
    });
  });

  test("--http without --user is a usage error", async () => {
    const { exitCode, stderr } = await installAlone("--client", "cursor", "--http");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--http needs --user EMAIL");
  });
});

describe("a project", () => {
  const records = ".local/share/hub/trusted-projects";
  let project: string;
  beforeEach(async () => {
    project = join(home, "project");
    await mkdir(join(project, "src"), { recursive: true });
    await writeFile(join(project, "package.json"), '{"name": "p", "hub": {"entry": "main.ts"}}');
    await writeFile(join(project, "main.ts"), "");
  });

  const runIn = (cwd: string, ...args: string[]) =>
    commands.run({ argv: ["mcp", ...args], env: toEnv(), cwd });

  test("An installation from its folders lets it run there, until it is removed", async () => {
    const { stdout } = await runIn(join(project, "src"), "install", ...dev, "--client", "cursor");
    expect(stdout).toEndWith("run: hub mcp uninstall --client cursor\n");
    expect(readServer("cursor", await read(files.cursor)).args).toContain(project);
    expect(await readdir(join(home, records))).toHaveLength(1);
    await runIn(project, "uninstall", "--client", "cursor");
    expect(existsSync(join(home, records))).toBe(false);
  });

  test("The command to undo an installation names the project, so that it works anywhere", async () => {
    const { stdout } = await runIn(home, "install", ...dev, "--project", "project", "--name", "p");
    const undo = `mcp uninstall --client claude-desktop --name p --project ${project}`;
    expect(stdout).toEndWith(`To undo this, run: hub ${undo}\n`);
    const { exitCode } = await runIn("/", ...undo.split(" ").slice(1));
    expect(exitCode).toBe(0);
    expect(existsSync(join(home, records))).toBe(false);
  });

  test("An installation by a link to the folder is found from the folder itself", async () => {
    await symlink(project, join(home, "link"));
    const runHere = (cwd: string, ...args: string[]) => {
      const env = { ...toEnv(), HUB_DATA_DIR: "" };
      return runCli({ dataDir: data.path, env, cwd }, ["mcp", ...args, "--client", "cursor"]);
    };
    await runHere(home, "install", ...dev, "--project", "link");
    expect(await read(files.cursor)).toContain("link/.hub");
    expect((await runHere(project, "install", ...dev)).stdout).toContain('updated "hub"');
    await runHere(home, "install", ...dev, "--project", "link");
    expect((await runHere(project, "uninstall")).stdout).toContain('removed "hub"');
  });

  test("A dry run builds nothing, because a project's macros run while it is built", async () => {
    const args = ["--client", "cursor", "--project", project, "--dry-run"];
    const { stdout, stderr } = await run("install", ...args);
    expect(stderr).toBe("");
    expect(stdout).toContain(`"command": "${project}/.hub/bin/p"`);
    expect(await readdir(project)).not.toContain(".hub");
  });

  test("A dry run and an entry with an address let nothing run", async () => {
    const args = ["install", "--client", "cursor", "--project", project];
    await run(...args, ...dev, "--dry-run");
    await run(...args, "--http", "--user", email);
    expect(existsSync(join(home, records))).toBe(false);
  });
});

test("A key of the environment is not in the entry, and the text says so", async () => {
  const env = { ...toEnv(), HUB_ENC_KEY: "a".repeat(64) };
  const { stdout } = await runCli({ dataDir: `${home}/data`, env, cwd: home }, [
    ...["mcp", "install", ...dev],
  ]);
  expect(stdout).toContain("  HUB_ENC_KEY is set here but is not in the entry.");
  expect(await read(files["claude-desktop"])).not.toContain("ENC_KEY");
});

async function listTokens(): Promise<Array<Record<string, unknown>>> {
  return (await runHere("token", "list", "--json")).json();
}

async function countTokens(): Promise<number> {
  return (await listTokens()).filter(({ revoked_at: at }) => at === null).length;
}

async function findTokenRecord(token: string) {
  return (await listTokens()).find(({ last_four: end }) => end === token.slice(-4));
}

function findToken(text: string): string {
  return /hub_pat_[0-9a-f]{32}/.exec(text)?.[0] ?? "";
}

type Server = { command: string; args: string[]; cwd?: string; env: Record<string, string> };

/** What the publisher of the client would not accept; nothing for clients without a schema. */
function findShapeFaults(client: string, text: string): unknown[] {
  const schema = Object.entries(publishedSchemas).find(([id]) => id === client)?.[1];
  return schema?.safeParse(JSON.parse(text)).error?.issues ?? [];
}

/** Reads command, arguments and environment as the client does. */
function readServer(client: string, text: string, name = "hub"): Server {
  if (client === "codex") return Object(Bun.TOML.parse(text)).mcp_servers[name];
  const document = JSON.parse(text);
  const containers = { vscode: "servers", opencode: "mcp", zed: "context_servers" };
  const container = Object.entries(containers).find(([id]) => id === client)?.[1];
  const { command, args, cwd, env, environment } = document[container ?? "mcpServers"][name];
  if (client !== "opencode") return { command, args, cwd, env };
  return { command: command[0], args: command.slice(1), cwd, env: environment };
}
