/** The documents are correct: their links work, and so does the guide for downstream projects. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Glob } from "bun";
import { readConsoleSteps, removeVariableParts } from "./support/console-blocks.ts";
import { toHubEnv } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";

setDefaultTimeout(30_000);

const root = resolve(import.meta.dirname, "..");
const project = join(import.meta.dirname, "downstream");
const documents = [
  ...new Glob("*.md").scanSync(root),
  ...new Glob("{docs,bench}/**/*.md").scanSync(root),
].filter((path) => !path.includes("node_modules"));

const read = (path: string) => Bun.file(join(root, path)).text();

test.each(documents)("Every link of %s has a target", async (path) => {
  const text = await read(path);
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file = "", place = ""] = target.split("#");
    const found = file === "" ? path : join(dirname(path), file);
    expect(existsSync(join(root, found)), target).toBeTrue();
    if (place !== "") expect(listAnchors(await read(found)), target).toContain(place);
  }
});

/** The anchors of a document's headings, as GitHub generates them. */
function listAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("docs/README.md lists every page", async () => {
  const index = await read("docs/README.md");
  for (const path of new Glob("*/*.md").scanSync(join(root, "docs"))) {
    expect(index).toContain(`](${path})`);
  }
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
    await using hub = await startHub({ main: join(project, "main.ts") });
    const env = { ...toHubEnv({ dataDir: hub.dataDir }), BUN: process.execPath };
    const npx = 'npx() { shift; "$BUN" "$@"; }';
    const exports: string[] = [];
    for (const { command, output } of readConsoleSteps(await read(guide))) {
      if (command.startsWith("export ")) exports.push(command);
      if (!command.startsWith("npx ")) continue;
      const script = [npx, ...exports, `${command} 2>&1`].join("\n");
      const options = { env, cwd: project, stdin: "ignore", stdout: "pipe" } as const;
      const shell = Bun.spawn(["bash", "-c", script], options);
      expect(removeVariableParts(await shell.stdout.text())).toBe(removeVariableParts(output));
    }
  });
});
