/** The guide to a first plugin, typed word for word in a folder that has what it asks for. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { toProgramCommand } from "./support/compile-programs.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { hubMain, layHub, toHubEnv } from "./support/run-cli.ts";
import { createTestDatabase } from "./support/test-database.ts";

setDefaultTimeout(180_000);

const root = resolve(import.meta.dirname, "..");
const guide = await Bun.file(join(root, "docs/guide/first-plugin.md")).text();

const hub = toProgramCommand(hubMain)
  .map((word) => `"${word}"`)
  .join(" ");
/** At night the archives are those of the guide. They have a program of 100 MiB, and thin ones go the same way. */
const form = process.env.HUB_TEST_WHOLE_BUILDS === "1" ? "--no-compress" : "--thin";
/** `npx` as it is in a folder with the hub's programs, without its start-up time, or that of compression. */
const npx = `npx() { local name="$1"; shift; case "$name" in
  wick) case "$1 $2" in "plugin build") set -- "$@" ${form}; esac;;
  esac; case "$name" in hub) ${hub} "$@";; wick) "$BUN" "${root}/packages/cli/src/wick.ts" "$@";; bun) "$BUN" "$@";; *) return 127;; esac; }`;

const findBlock = (language: string, part: string) =>
  guide.match(new RegExp(`${part}[^]*?\`\`\`${language}\\n([^]*?)\`\`\``))?.[1] ?? "";

test("each step of the guide does what it says", async () => {
  await using place = await createDataFolder();
  const folder = join(place.path, "mine");
  const dataDir = join(place.path, "data");
  await using databases = new AsyncDisposableStack();
  databases.defer(await createTestDatabase(dataDir));
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(join(root, "node_modules/@hub"), join(folder, "node_modules/@hub"));
  await writeFile(join(folder, "package.json"), findBlock("json", "# Your first plugin"));

  await mkdir(dataDir);
  await layHub({ dataDir }, []);

  const type = async (part: string) => {
    const commands = findBlock("sh", part);
    expect(commands, part).not.toBe("");
    const shell = Bun.spawn(["bash", "-c", `set -e\n${npx}\n${commands}`], {
      env: {
        ...toHubEnv({ dataDir }),
        HOME: process.env.HOME ?? "",
        BUN: process.execPath,
        npm_command: "exec",
      },
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
    expect(await shell.exited, `${part}\n${stderr}`).toBe(0);
    return { stdout, stderr };
  };
  const change = async (file: string, from: string, to: string) => {
    expect(guide).toContain(to);
    const text = await Bun.file(join(folder, file)).text();
    expect(text.split(from)).toHaveLength(2);
    await writeFile(
      join(folder, file),
      text.replace(from, () => to),
    );
  };

  const made = await type("## 1. Make it");
  expect(made.stdout).toContain("npx wick plugin test tracker\n  npx wick plugin build tracker");
  expect(made.stderr).toContain("1 pass");
  await type("## 2. Build it");
  expect((await type("## 3. Install it")).stdout).toEndWith('{\n  "text": "Hello, Ada!"\n}\n');
  await change("tracker/package.json", "0.1.0", "0.2.0");
  await change("tracker/src/connector.ts", "params.Who}!", "params.Who}. Welcome!");
  const changed = (await type("## 4. Change it")).stdout;
  expect(changed).toEndWith('{\n  "text": "Hello, Ada. Welcome!"\n}\n');
  expect((await type("## 5. Sign it")).stdout).toContain("HUB_PLUGIN_PUBKEY");
  await type("## 6. Publish it");
  expect(await Bun.file(join(folder, "dist/plugins.json")).json()).toMatchObject([
    { key: "tracker", version: "0.2.0" },
  ]);
});

test("the connector that the guide shows is the one that is made", async () => {
  const { toTemplates } = await import("../packages/cli/src/wick/plugin-templates.ts");
  const source =
    toTemplates({ key: "tracker", connector: null, names: { wick: "wick", hub: "hub" } })[
      "src/connector.ts"
    ] ?? "";
  const block = findBlock("ts", "# Your first plugin").split("\n");
  const lines = block.filter((line) => line.trim() !== "…");
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(source).toContain(line);
});
