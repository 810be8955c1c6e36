import { expect, test } from "bun:test";
import { join } from "node:path";
import { toFlag, toVariable } from "@hub/server/config.ts";
import { settingSpecs } from "@hub/server/settings/all-settings.ts";
import { Glob } from "bun";
import { Command } from "commander";
import { createCli } from "./cli.ts";
import { commandsOfOthers } from "./commands-of-others.ts";
import { addParameters, argument, flag, option } from "./declare/parameters.ts";
import type { Lookups } from "./look-ups/look-up-names.ts";
import { openTerminal } from "./process/terminal.ts";
import { createProgram } from "./program.ts";
import { define as defineWickPlugin } from "./wick/wick-commands.ts";

const reference = join(import.meta.dirname, "../../../docs/reference");
const groups =
  "serve mcp user group scim service-user machine-client trusted-issuer secret-source secret-reference token app row bridge channel account approval rule op type plugin migrate runs workflow setting keys encrypt decrypt db doctor version help".split(
    " ",
  );

/** All pages of the command line's reference. */
async function readCliPages(): Promise<string> {
  const paths = [...new Glob("cli/*.md").scanSync(reference)].sort();
  expect(paths.length).toBeGreaterThan(5);
  return (await Promise.all(paths.map((path) => Bun.file(join(reference, path)).text()))).join(
    "\n",
  );
}

async function listCommands(): Promise<Array<{ path: string; command: Command }>> {
  const terminal = openTerminal(groups);
  const cli = createCli({ terminal, connectors: [], name: "hub", version: null });
  const list = (command: Command, path: string): Array<{ path: string; command: Command }> => {
    const below = command.commands.flatMap((each) => list(each, `${path} ${each.name()}`));
    const doesSomething = below.length === 0 || path === "hub runs";
    return doesSomething ? [{ path, command }, ...below] : below;
  };
  const commands = list(await createProgram(cli), "hub");
  expect(commands.length).toBeGreaterThan(50);
  return commands;
}

test("The command line reference has a section for every command, and no other sections", async () => {
  const text = await readCliPages();
  const sections = [...text.matchAll(/^## (hub [a-z -]+?)(?: [[\]A-Z ]+)?$/gm)].map(
    ([, path]) => path,
  );
  const commands = await listCommands();
  expect(sections.sort()).toEqual(commands.map(({ path }) => path).sort());
});

test("The index of the command line reference links every section of its pages", async () => {
  const index = await Bun.file(join(reference, "cli.md")).text();
  const sections = [...(await readCliPages()).matchAll(/^## (.+)$/gm)];
  expect(sections.length).toBeGreaterThan(80);
  for (const [, title = ""] of sections) expect(index).toContain(`- [\`${title}\`](cli/`);
});

test("The command line reference names every option of every command", async () => {
  const text = await readCliPages();
  const options = (await listCommands()).flatMap(({ path, command }) =>
    command.options.map(({ long }) => ({ path, long })),
  );
  expect(options.length).toBeGreaterThan(100);
  for (const { path, long } of options) expect(text, path).toContain(`\`${long}`);
});

test("The words of other programs lead to commands", async () => {
  const terminal = openTerminal(groups);
  const cli = createCli({ terminal, connectors: [], name: "hub", version: null });
  const program = await createProgram(cli);
  const named = Object.values(commandsOfOthers);
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter((words) => {
    let found: Command | undefined = program;
    for (const word of words.split(" ")) {
      found = found?.commands.find((one) => one.name() === word);
    }
    return found === undefined;
  });
  expect(missing).toEqual([]);
});

test("Every command has a description", async () => {
  for (const { path, command } of await listCommands()) {
    expect(command.description(), path).not.toBe("");
  }
});

test("The settings reference names every setting with its flag", async () => {
  const text = await Bun.file(join(reference, "settings.md")).text();
  // Object.keys widens the keys of a record that has exactly these.
  for (const name of Object.keys(settingSpecs) as Array<keyof typeof settingSpecs>) {
    expect(text).toContain(`| \`${toVariable(name)}\` | `);
    if (!settingSpecs[name].secret) expect(text).toContain(`| \`${toFlag(name)}\` | `);
  }
});

test("The command line reference has a section for every command of wick, with every option", async () => {
  const text = await readCliPages();
  const plugin = new Command("plugin");
  defineWickPlugin(plugin, openTerminal([]), { wick: "wick", hub: "hub" });
  const sections = [...text.matchAll(/^## wick plugin ([a-z]+)(?: [A-Z]+)?$/gm)];
  expect(sections.map(([, name]) => name)).toEqual(plugin.commands.map((each) => each.name()));
  for (const { options } of plugin.commands) {
    for (const { long } of options) expect(text).toContain(`\`${long}`);
  }
});

test("A declared command reads its arguments and options in any order of its members", async () => {
  const takes = {
    isDry: flag("only show"),
    id: argument("<row>", "id or label", (_, typed) => `id of ${typed}`),
    expiresInDays: option("<number>", "days"),
    name: option("<name>"),
    keys: argument("[key...]", "keys"),
  };
  const read = async (...typed: string[]) => {
    const made = new Command("made").action(() => {});
    const readValues = addParameters(made, takes, "hub");
    made.parse(typed, { from: "user" });
    // Only finders of the hub's own commands ask it.
    return await readValues({} as Lookups);
  };
  expect(await read("chat", "a", "--expires-in-days", "3", "b", "--is-dry")).toEqual({
    isDry: true,
    id: "id of chat",
    expiresInDays: "3",
    keys: ["a", "b"],
  });
  expect(await read("chat")).toStrictEqual({ id: "id of chat", keys: [] });
});
