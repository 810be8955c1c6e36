/** The documents are correct: their links work, and so does the guide for downstream projects. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Glob } from "bun";
import { readMaintainers, writeContact } from "../scripts/write-contacts.ts";
import { makeLlmsText } from "../scripts/write-llms-text.ts";
import { readConsoleSteps, removeVariableParts } from "./support/console-blocks.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { layHub, toHubEnv } from "./support/run-cli.ts";

setDefaultTimeout(180_000);

const root = resolve(import.meta.dirname, "..");
const project = join(import.meta.dirname, "downstream");
const documents = [
  ...new Glob("*.md").scanSync(root),
  ...new Glob("{docs,bench,scripts}/**/*.md").scanSync(root),
].filter((path) => !path.includes("node_modules"));

const read = (path: string) => Bun.file(join(root, path)).text();

test("Documents and their links are found", async () => {
  expect(documents.length).toBeGreaterThan(80);
  const links = await Promise.all(documents.map(listLinks));
  expect(links.flat().length).toBeGreaterThan(300);
});

test.each(documents)("Every link of %s has a target", async (path) => {
  const broken: string[] = [];
  for (const target of await listLinks(path)) {
    const [file = "", place = ""] = target.split("#");
    const found = file === "" ? path : join(dirname(path), file);
    const exists = existsSync(join(root, found));
    if (!exists || (place !== "" && !listAnchors(await read(found)).includes(place))) {
      broken.push(target);
    }
  }
  expect(broken).toEqual([]);
});

/** The targets in this checkout that a document links. */
async function listLinks(path: string): Promise<string[]> {
  const links = (await read(path)).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a document's headings, as GitHub generates them. */
function listAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** The pages that list others: of all, of the decisions, of the API, and of the command line. */
const indexes = [
  "docs/README.md",
  "docs/decisions/README.md",
  "docs/reference/api.md",
  "docs/reference/cli.md",
];

test("An index lists every page", async () => {
  const listed = await Promise.all(
    indexes.map(async (index) =>
      (await listLinks(index)).map((target) => join(dirname(index), target)),
    ),
  );
  const paths = [...new Glob("docs/**/*.md").scanSync(root)];
  expect(paths.length).toBeGreaterThan(110);
  const all = new Set(listed.flat());
  expect(paths.filter((path) => !all.has(path))).toEqual(["docs/README.md"]);
});

test("llms.txt follows the index of the documentation", async () => {
  expect(await read("llms.txt")).toBe(await makeLlmsText());
});

test("SECURITY.md names the contact of maintainers.json, or says that none is set", async () => {
  const text = await read("SECURITY.md");
  expect(text).toBe(writeContact(text, await readMaintainers()));
  const empty = { repository: "", security_contact: "", conduct_contact: "", maintainers: [] };
  expect(writeContact(text, empty)).toContain("**No contact is set yet.**");
  const filled = { ...empty, security_contact: "security@hub.example", maintainers: ["Ada"] };
  const written = writeContact(text, filled);
  expect(written).toContain("Write to security@hub.example. Maintainers: Ada.");
  expect(written).not.toContain("No contact");
});

test("The README lists what works in at most twelve rows, with limits, help and the licence", async () => {
  const readme = await read("README.md");
  const [, table = ""] = readme.split("## What works today\n");
  const rows = [...table.matchAll(/^\| [A-Z][a-z ]+ \| .+ \| .+ \|$/gm)];
  expect(rows).toHaveLength(12);
  for (const link of [
    "asking.md",
    "accounts.md",
    "known-limits.md",
    "SECURITY.md",
    "LICENSE",
    "docs/README.md",
  ]) {
    expect(table).toContain(link);
  }
});

test("Lines for cron name the whole path of the program: cron does not look where shells do", async () => {
  const texts = await Promise.all(documents.map(read));
  const line = /^ *(?:[\d*/,-]+ +){5}(?:\w+=\S+ +)*([a-z/].*)$/gm;
  const commands = texts.flatMap((text) => [...text.matchAll(line)].map(([, command]) => command));
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((command) => !command?.startsWith("/"))).toEqual([]);
});

test("The sections of docs/README.md are what readers want to do", async () => {
  const titles = [...(await read("docs/README.md")).matchAll(/^## (.+)$/gm)].map(
    ([, title]) => title,
  );
  expect(titles).toEqual(["Start", "Connect", "Automate", "Operate", "Extend"]);
});

describe("The guide for downstream connectors", () => {
  const guide = "docs/guide/own-connectors.md";

  test.each([
    "package.json",
    "warehouse.ts",
    "main.ts",
    "warehouse.test.ts",
  ])("The guide shows %s as in test/downstream", async (name) => {
    const content = await Bun.file(join(project, name)).text();
    expect(await read(guide)).toContain(`\n${content}\`\`\`\n`);
  });

  test("The guide shows the output of its commands", async () => {
    await using folder = await createDataFolder();
    await layHub({ dataDir: folder.path }, []);
    const env = { ...toHubEnv({ dataDir: folder.path }), BUN: process.execPath };
    const npx = 'npx() { shift; "$BUN" "$@"; }';
    const exports: string[] = [];
    const steps = readConsoleSteps(await read(guide));
    expect(steps.filter(({ command }) => command.startsWith("npx "))).toHaveLength(2);
    for (const { command, output } of steps) {
      if (command.startsWith("export ")) exports.push(command);
      if (!command.startsWith("npx ")) continue;
      const script = [npx, ...exports, `${command} 2>&1`].join("\n");
      const options = { env, cwd: project, stdin: "ignore", stdout: "pipe" } as const;
      const shell = Bun.spawn(["bash", "-c", script], options);
      expect(removeVariableParts(await shell.stdout.text())).toBe(removeVariableParts(output));
    }
  });
});
