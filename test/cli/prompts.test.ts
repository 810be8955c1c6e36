/** Prompts on a terminal. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { runCommand } from "../support/command-process.ts";
import { toProgramCommand } from "../support/compile-programs.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { hubMain, layHub, toHubEnv } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const secret = "typed-s3cret-7781";

let folder: DataFolder;
beforeAll(async () => {
  folder = await createDataFolder();
  await layHub({ dataDir: folder.path }, []);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Starts a command in a new terminal. */
function startOnTerminal(...args: string[]) {
  const decoder = new TextDecoder();
  let raw = "";
  const child = Bun.spawn([...toProgramCommand(hubMain), ...args], {
    env: { ...toHubEnv({ dataDir: folder.path }), TERM: "xterm" },
    cwd: folder.path,
    terminal: {
      cols: 100,
      rows: 40,
      data: (_, bytes) => {
        raw += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const shown = () => stripVTControlCharacters(raw);
  return {
    shown,
    waitToSee: (text: string) => waitFor(() => shown().includes(text)),
    type: (text: string) => child.terminal?.write(text),
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
      child.terminal?.close();
    },
  };
}

test("row add asks for required fields, refuses invalid answers, and hides secrets", async () => {
  const add = ["row", "add", "http", "--label", "Asked", "--set", "auth_mode=bearer"];
  await using terminal = startOnTerminal(...add);
  await terminal.waitToSee("base_url: The start of the API");
  terminal.type("nowhere\r");
  await terminal.waitToSee("It must be a full URL");
  terminal.type(`${"\b".repeat("nowhere".length)}https://api.example.com\r`);
  await terminal.waitToSee("token: Sent as");
  terminal.type(`${secret}\r`);
  expect(await terminal.exited).toBe(0);
  expect(terminal.shown()).not.toContain(secret);

  const { json } = await runCommand({ dataDir: folder.path }, ["row", "show", "Asked", "--json"]);
  expect(json()).toMatchObject({ missing: [] });
});

test("row add asks for an optional secret that --secret-stdin names, and hides it", async () => {
  const base = ["--set", "base_url=https://api.example.com", "--set", "auth_mode=basic"];
  const add = ["row", "add", "http", "--label", "Basic", ...base, "--set", "username=ada"];
  await using terminal = startOnTerminal(...add, "--secret-stdin", "password");
  await terminal.waitToSee("password");
  terminal.type(`${secret}\r`);
  expect(await terminal.exited).toBe(0);
  expect(terminal.shown()).not.toContain(secret);
  expect(terminal.shown()).toMatch(/password +•+/);
});

test("Ctrl-C at a prompt cancels the command and changes nothing", async () => {
  await using terminal = startOnTerminal("row", "add", "http", "--label", "Never");
  await terminal.waitToSee("base_url");
  terminal.type("\u0003");
  expect(await terminal.exited).toBe(1);
  expect(terminal.shown()).toContain("Cancelled. Nothing was changed.");
  expect((await runCommand({ dataDir: folder.path }, ["row", "show", "Never"])).exitCode).toBe(1);
});

test("mcp serve on a terminal says that it waits for a client", async () => {
  await using terminal = startOnTerminal("mcp", "serve");
  await terminal.waitToSee("Waiting for an MCP client");
});

test("decrypt prints the value of a token to a terminal, and refuses a pipe", async () => {
  const run = (args: string[], stdin = "") => runCommand({ dataDir: folder.path, stdin }, args);
  const { token } = (await run(["encrypt", "--json"], secret)).json<{ token: string }>();
  const piped = await run(["decrypt"], token);
  expect([piped.exitCode, piped.stdout]).toEqual([2, ""]);
  expect(piped.stderr).toContain("prints to a terminal only");

  await using terminal = startOnTerminal("decrypt");
  await terminal.waitToSee("Token to decrypt");
  terminal.type(`${token}\r`);
  await terminal.waitToSee(secret);
  expect(await terminal.exited).toBe(0);
});
