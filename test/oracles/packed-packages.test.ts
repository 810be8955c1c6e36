/**
 * The packages for npm, installed from the registry into an empty folder with an empty home, by the commands of their guide.
 * `HUB_TEST_NODE=FILE` takes another Node than that of the path. Nothing but the packages brings Bun.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

setDefaultTimeout(600_000);

const checkout = resolve(import.meta.dirname, "../..");
const guide = await Bun.file(join(checkout, "docs/guide/packages.md")).text();
const node = process.env.HUB_TEST_NODE ?? Bun.which("node") ?? "node";
const findBlock = (language: string, part: string) =>
  guide.match(new RegExp(`## ${part}[^]*?\`\`\`${language}\\n([^]*?)\`\`\``))?.[1] ?? "";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-packed-"));
  const pack = [
    "run",
    join(checkout, "scripts/pack.ts"),
    "--draft",
    "--out",
    `${folder}/hub/dist/npm`,
  ];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...pack], { cwd: checkout });
  if (exitCode !== 0) throw new Error(`${stderr}`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A folder beside the packages with the given npm, in which nothing of this machine's user has effect. */
async function openProject(npm: string) {
  const place = join(folder, `npm-${npm}`);
  const [bin, home, project] = ["bin", "home", "project"].map((name) => join(place, name));
  for (const each of [bin, home, project]) await mkdir(each ?? "", { recursive: true });
  await symlink(node, join(bin ?? "", "node"));
  const tools = join(place, "tools");
  Bun.spawnSync(["npm", "install", "--silent", "--prefix", tools, `npm@${npm}`]);
  for (const name of ["npm", "npx"]) {
    await symlink(join(tools, `node_modules/npm/bin/${name}-cli.js`), join(bin ?? "", name));
  }
  await symlink(join(folder, "hub"), join(place, "hub"));
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    HUB_DATA_DIR: join(place, "data"),
    HUB_PORT: "0",
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? "",
  };
  const start = (text: string) =>
    Bun.spawn(["bash", "-c", `set -e\n${text}`], {
      cwd: project,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  const type = async (text: string) => {
    expect(text).not.toBe("");
    const shell = start(text);
    const [stdout, stderr] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
    return { stdout, stderr, exitCode: await shell.exited };
  };
  return { place: project ?? "", type, start };
}

test.each([
  "10",
  "11",
])("npm %s installs the packages, and a hub, a plugin and a project of their own work", async (npm) => {
  const { place, type, start } = await openProject(npm);
  const installed = await type(findBlock("sh", "Install them"));
  expect(installed).toMatchObject({ exitCode: 0 });
  expect(installed.stdout).toMatch(/^commit +(?!unknown)/m);
  expect(installed.stdout).toContain("guide/packages");
  const licences = (await type("npx hub version --licences")).stdout;
  // Of the server, built into the pages, and linked into Bun.
  for (const name of ["hono ", "react ", "JavaScriptCore"]) expect(licences).toContain(name);

  const server = start("exec node_modules/.bin/bun node_modules/@hub/cli/src/hub.ts serve");
  let port = "";
  let log = "";
  for await (const part of server.stdout.pipeThrough(new TextDecoderStream())) {
    log += part;
    port = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(log)?.[1] ?? "";
    if (port !== "") break;
  }
  const names = await readdir(join(place, "node_modules/@hub/web/dist"));
  const entry = names.find((name) => /^main\..*\.js$/.test(name));
  const page = await fetch(`http://127.0.0.1:${port}/assets/app/${entry}`);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("javascript"),
  ]);
  server.kill();
  await server.exited;

  const made = await type(findBlock("sh", "Write a plugin"));
  expect(made).toMatchObject({ exitCode: 0 });
  expect(made.stdout).toEndWith('{\n  "text": "Hello, Ada!"\n}\n');
  await writeFile(join(place, "tsconfig.json"), findBlock("json", "Write a plugin"));
  await writeFile(join(place, "main.ts"), findBlock("ts", "Your own hub"));
  expect(await type("npx tsc")).toMatchObject({ exitCode: 0, stdout: "" });
  expect((await type("npx bun main.ts type list")).stdout).toContain("warehouse");
  // The types are known, and not only accepted.
  await writeFile(
    join(place, "wrong.ts"),
    'import { runHub } from "@hub/cli";\nawait runHub({ name: 1 });\n',
  );
  expect((await type("npx tsc")).stdout).toContain("wrong.ts(2,");
});
