/** Help, usage errors, and entries for clients. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";

setDefaultTimeout(180_000);

type ClientEntry = { client: string; target: string };

const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
});
afterAll(() => owned.disposeAsync());

/** Runs the program itself. */
const run = (...args: string[]) => runCli({ dataDir: folder.path }, args);
/** Runs a command of the program in the process that all tests share. */
const runShared = (...argv: string[]) => commands.run({ argv });

test("--help names every command and creates no database", async () => {
  const { exitCode, stdout } = await run("--help");
  expect(exitCode).toBe(0);
  for (const name of ["serve", "mcp", "user", "token", "row", "op", "type", "runs", "keys"]) {
    expect(stdout).toContain(`\n  ${name} `);
  }
  expect(await readdir(folder.path)).not.toContain("hub.sqlite");
});

test("serve has a flag for each setting, but none for secrets", async () => {
  const { stdout } = await run("serve", "--help");
  expect(stdout).toContain("--audit-retention-days <value>");
  expect(stdout).toContain("--data-dir <folder>");
  expect(stdout).not.toContain("--enc-key");
});

test.each([
  ["an unknown command", ["usr"], "unknown command 'usr'"],
  ["an unknown option", ["user", "list", "--bogus"], "unknown option '--bogus'"],
  ["a missing argument", ["user", "add"], "missing required argument 'email'"],
  ["a missing option", ["token", "create", "--name", "x"], "'--user <email>' not specified"],
  ["a pair without =", ["row", "add", "http", "--label", "x", "--set", "y"], "key=value"],
  ["an unknown client", ["mcp", "install", "--client", "emacs"], "claude-desktop, cursor"],
  [
    "a bad name of a server",
    ["mcp", "install", "--name", "a b"],
    "1 to 64 letters, digits, _ or -",
  ],
  ["an unknown mode", ["mcp", "serve", "--mode", "fresh"], "auto, dev, build, rebuild"],
  ["a missing project", ["mcp", "serve", "--project", "nowhere"], "nowhere does not exist"],
])("%s is a usage error: exit code 2, with a message on standard error only", async (_, args, sentence) => {
  const { exitCode, stdout, stderr } = await runShared(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(sentence);
});

test("a usage error ends with a hint to the command's help", async () => {
  const { exitCode, stderr } = await run("user", "add");
  expect(exitCode).toBe(2);
  expect(stderr).toEndWith("\nSee hub user add --help.\n");
});

test("help accepts a command of two words, and shows only that command's options", async () => {
  const { exitCode, stdout } = await run("help", "runs", "show");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Usage: hub runs show");
  expect(stdout).not.toContain("--follow");
});

test("mcp serve --help says what goes over the standard streams, which hub and user it serves, and a client's settings", async () => {
  const { stdout } = await run("mcp", "serve", "--help");
  for (const words of [
    ...["Standard input has", "standard\noutput the answers", "standard error", "ends when"],
    ...["--data-dir, HUB_DATA_DIR", "local admin", "--user ada@example.com"],
    ...['{"mcpServers": {"hub": {"command": "hub", "args": ["mcp", "serve"]', "mcp install"],
  ]) {
    expect(stdout).toContain(words);
  }
});

test("--version prints the same as the command version", async () => {
  expect((await run("--version")).stdout).toBe((await run("version")).stdout);
});

test("version --licences prints the licences of everything in the program", async () => {
  const { stdout } = await run("version", "--licences");
  expect(stdout).toMatch(/^bun \d+\.\d+\.\d+: MIT \(text \d+/m);
  expect(stdout).toContain("JavaScriptCore and WebCore (in Bun)");
});

test("a group without a subcommand prints its help on standard error, with exit code 2", async () => {
  const { exitCode, stdout, stderr } = await run("user");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("Usage: hub user");
});

test("with --json a failure is one JSON line on standard error", async () => {
  const { exitCode, stdout, stderr } = await runShared(
    "user",
    "show",
    "nobody@example.com",
    "--json",
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringContaining('There is no user "nobody@example.com"'),
    code: "not_found",
  });
});

test("an error message contains its cause once", async () => {
  const { exitCode, stderr } = await run("--data-dir", "/dev/null/hub", "user", "list");
  expect(exitCode).toBe(1);
  expect(stderr.match(/ENOTDIR/g)).toHaveLength(1);
});

describe("mcp config", () => {
  // Another mode would compile the hub first: see compiled-project.test.ts.
  const config = (...args: string[]) =>
    runShared("mcp", "config", "--json", "--mode", "dev", ...args);

  test("The text names the command that writes the same entry", async () => {
    const options = ["--client", "zed", "--name", "tracker", "--mode", "dev", "--project", "/"];
    const { stdout } = await runShared("mcp", "config", ...options);
    expect(stdout).toContain(
      "\nTo write an entry, run: hub mcp install --client zed --name tracker --project / --mode dev\n",
    );
  });

  test("mcp config fails for an unknown user", async () => {
    const { exitCode, stderr } = await config("--user", "nobody@example.com");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: "not_found" });
  });

  test("--client prints the entry of one client, or of the first five", async () => {
    const [entry, ...none] = (await config("--client", "zed")).json<ClientEntry[]>();
    expect(none).toEqual([]);
    expect(entry).toMatchObject({ client: "Zed", target: "zed" });
    const five = (await config("--client", "all")).json<ClientEntry[]>();
    expect(five.map(({ target }) => target)).toEqual([
      "claude-desktop",
      "cursor",
      "gemini-cli",
      "codex",
      "claude-code",
    ]);
  });
});
