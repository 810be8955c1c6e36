/** What the command line says before it does anything. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";

setDefaultTimeout(30_000);

let folder: DataFolder;
beforeAll(async () => {
  folder = await createDataFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runCli({ dataDir: folder.path }, args);

test("help names every command, and opens no data folder", async () => {
  const { exitCode, stdout } = await run("--help");
  expect(exitCode).toBe(0);
  for (const name of ["serve", "mcp", "user", "token", "row", "op", "type", "runs", "keys"]) {
    expect(stdout).toContain(`\n  ${name} `);
  }
  expect(await readdir(folder.path)).not.toContain("hub.sqlite");
});

test("each setting but the secret ones is a flag of serve", async () => {
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
  ["a mode that does not exist yet", ["mcp", "serve", "--mode", "build"], "does not exist yet"],
])("%s is wrong usage: exit code 2, told on standard error alone", async (_, args, sentence) => {
  const { exitCode, stdout, stderr } = await run(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(sentence);
});

test("a group without a command prints its help on standard error, with exit code 2", async () => {
  const { exitCode, stdout, stderr } = await run("user");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("Usage: hub user");
});

test("with --json a failure is one JSON line on standard error", async () => {
  const { exitCode, stdout, stderr } = await run("user", "show", "nobody@example.com", "--json");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringContaining('There is no user "nobody@example.com"'),
    code: "not_found",
  });
});

test("the entries for clients hold absolute paths only", async () => {
  const entries = (await run("mcp", "config", "--json")).json<Array<{ text: string }>>();
  expect(entries).toHaveLength(6);
  const { command, args, env } = JSON.parse(entries[0]?.text ?? "").mcpServers.hub;
  expect([command, args[0], env.HUB_DATA_DIR]).toEqual([
    expect.stringMatching(/^\//),
    expect.stringMatching(/^\//),
    folder.path,
  ]);
});
