import { expect, test } from "bun:test";
import { join } from "node:path";
import { findPage, toTopic } from "@hub/server/docs/find-page.ts";
import { readDocs } from "@hub/server/docs/read-docs.ts";
import { Glob } from "bun";
import { createCli } from "../cli.ts";
import { openTerminal } from "../process/terminal.ts";
import { createProgram } from "../program.ts";
import { toPageText } from "./page-text.ts";

const docs = await readDocs();

test("Every page of the documentation is a topic, whose names lead to no other page", () => {
  const folder = join(import.meta.dirname, "../../../../docs");
  expect([...docs.paths]).toEqual([...new Glob("**/*.md").scanSync(folder)].sort());
  for (const path of docs.paths) {
    expect(findPage(toTopic(path), docs.paths)).toEqual({ path });
    const name = path.replace(/\/README\.md$/, "").replace(/^.*\//, "");
    expect(findPage(name, docs.paths), "names of pages differ").toEqual({ path });
  }
});

test("A page is found by its path, its name and the number of a decision", () => {
  const paths = ["decisions/045-a-file.md", "guide/backup.md", "README.md"];
  for (const typed of ["guide/backup", "docs/guide/backup.md", "Backup"])
    expect(findPage(typed, paths), typed).toEqual({ path: "guide/backup.md" });
  for (const typed of ["45", "045", "045-a-file"])
    expect(findPage(typed, paths), typed).toEqual({ path: "decisions/045-a-file.md" });
  expect(findPage("bakup", paths)).toEqual({ nearest: "backup" });
  expect(findPage("../../etc/passwd", paths)).toEqual({ nearest: null });
});

test("Links name the command or the file that shows their target, and code stays", () => {
  const text = [
    "Read [the `API`](../reference/api.md#rows), [below](#here), [code](../../deploy/x) and",
    "[Bun](https://bun.sh). ![A page](../pictures/home.webp) Type `[a](b.md)`.",
    "```sh\n$ npx hub row list # [x](y.md)\n```",
    "And `npx wick plugin build`.",
  ].join("\n");
  expect(toPageText({ path: "guide/pages.md", text }, "hub")).toBe(
    [
      "Read the `API` (hub help reference/api), below, code (deploy/x of the repository) and",
      "Bun (https://bun.sh). (picture: A page) Type `[a](b.md)`.",
      "```sh\n$ hub row list # [x](y.md)\n```",
      "And `hub wick plugin build`.",
    ].join("\n"),
  );
});

test("Every command that links pages together names one that exists", async () => {
  const named: string[] = [];
  for (const path of docs.paths) {
    const text = toPageText({ path, text: await docs.read(path) }, "hub");
    named.push(...[...text.matchAll(/\(hub help ([\w/-]+)\)/g)].map(([, topic = ""]) => topic));
  }
  const program = await createProgram(
    createCli({ terminal: openTerminal([]), connectors: [], name: "hub", version: null }),
  );
  for (const command of program.commands) {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    named.push(...[...help.matchAll(/Read more: hub help (\S+)/g)].map(([, topic = ""]) => topic));
  }
  expect(named.length).toBeGreaterThan(150);
  const topics = docs.paths.map(toTopic);
  for (const topic of new Set(named)) expect(topics).toContain(topic);
});

async function runHelp(...words: string[]): Promise<{ out: string; note: string }> {
  const printed = { out: "", note: "" };
  const terminal = {
    ...openTerminal(["help", ...words]),
    stdout: {
      write(text: string) {
        printed.out += text;
      },
    },
    stderr: {
      write(text: string) {
        printed.note += text;
      },
    },
  };
  // The command writes to these two and to nothing else of the terminal.
  const cli = createCli({
    terminal: terminal as never,
    connectors: [],
    name: "hub",
    version: null,
  });
  await (await createProgram(cli)).parseAsync(terminal.argv, { from: "user" });
  return printed;
}

test("Words that name no page are searched for, the best sections first", async () => {
  const { out, note } = await runHelp("search", "lost", "key");
  expect(out).toMatch(/^Settings: Keys\n {2}hub help reference\/settings\n {2}\S/m);
  expect(out.split("\n\n").length).toBeLessThanOrEqual(8);
  expect(note).toContain("`hub help topics` lists the pages.");
  const { sections } = JSON.parse((await runHelp("lost", "key", "--json")).out);
  expect(sections.length).toBe(8);
  expect(sections[0]).toMatchObject({ topic: expect.any(String), snippet: expect.any(String) });
});

test("A search without words, or without a match, says what to do", async () => {
  await expect(runHelp("search")).rejects.toThrow("Type what to search for");
  await expect(runHelp("zeppelin")).rejects.toThrow('No command, page or section has "zeppelin".');
});

test("A mistyped name of a page names the page beside what was found", async () => {
  expect((await runHelp("bakup")).note).toContain('Did you mean "backup"?');
});

test.each([
  ["guide/nothing", 'no page "guide/nothing". '],
  ["guide/bakup", 'no page "guide/bakup". Did you mean "guide/backup"? `hub help topics` lists'],
  ["bakup.md", 'no page "bakup.md". Did you mean "backup"?'],
])("The name %s of a page that is missing is not searched for", async (typed, said) => {
  await expect(runHelp(typed)).rejects.toThrow(said);
});

test("Words that no page has find nothing, not what is spelled alike", async () => {
  await expect(runHelp("nothingzz")).rejects.toThrow(
    'No command, page or section has "nothingzz".',
  );
});
