import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { createCli } from "../cli.ts";
import { createProgram } from "../program.ts";
import { openTerminal } from "../terminal.ts";
import { findPage, toTopic } from "./find-page.ts";
import { toPageText } from "./page-text.ts";
import { readDocs } from "./read-docs.ts";

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
