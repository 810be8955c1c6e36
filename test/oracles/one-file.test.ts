/** The hub as one file, in a root with the C library, its loader, `/tmp`, `/proc` and `/dev/null` alone. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFile, link, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { collectText } from "../support/collect-text.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { signInByForm, visit, watchPage } from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";

setDefaultTimeout(180_000);

const checkout = resolve(import.meta.dirname, "../..");
const target = `linux-${process.arch}`;
const mount = ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec "$@"'];
const skipReason = findSkipReason();
const chromium = findChromium();

let root: string;
const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

beforeAll(async () => {
  if (skipReason !== "") return;
  const folder = await mkdtemp(join(tmpdir(), "hub-one-file-"));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  const built = join(folder, "built");
  const build = ["run", join(checkout, "scripts/build.ts"), "--draft", "--out", built, target];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...build], { cwd: checkout });
  if (exitCode !== 0) throw new Error(`${stderr}`);
  const name = (await readdir(built)).find((each) => each.endsWith(target)) ?? "";
  root = join(folder, "root");
  for (const each of ["tmp", "proc", "dev"]) await mkdir(join(root, each), { recursive: true });
  Bun.spawnSync(["mknod", join(root, "dev/null"), "c", "1", "3"]);
  await copyFile(join(built, name), join(root, "hub"));
  const libraries = Bun.spawnSync(["ldd", join(root, "hub")]).stdout.toString();
  for (const path of libraries.match(/\/\S+/g) ?? []) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await copyFile(path, join(root, path)).catch(() => {});
  }
});

test.skipIf(skipReason !== "")(
  `The one file serves, has its pages, adds a row, discovers operations and runs scripts${skipReason}`,
  async () => {
    const document = {
      openapi: "3.0.3",
      info: { title: "Stock", version: "1" },
      paths: {
        "/items": { get: { operationId: "listItems", responses: { 200: { description: "" } } } },
      },
    };
    await using api = Bun.serve({ port: 0, fetch: () => Response.json(document) });
    const url = `http://127.0.0.1:${api.port}`;
    await using hub = await serve({});
    const { port } = hub;
    const page = await fetch(`http://127.0.0.1:${port}/auth/login`);
    expect(page.status).toBe(200);
    const served = await fetch(`http://127.0.0.1:${port}/assets/app/${await findAppEntry()}`);
    expect(served.status).toBe(200);
    expect(await served.text()).toContain("/assets/app/");
    const font = /\/assets\/inter\.[0-9a-f]+\.woff2/.exec(await page.text())?.[0];
    const { headers } = await fetch(`http://127.0.0.1:${port}${font}`);
    expect(headers.get("content-type")).toBe("font/woff2");

    expect(await run({}, "version")).toContain("hub ");
    const values = ["--set", `document_url=${url}/openapi.json`, "--set", `base_url=${url}`];
    await run({}, "row", "add", "openapi", "--label", "Stock", ...values);
    await run({}, "bridge", "discover", "Stock");
    expect(await run({}, "bridge", "review", "Stock")).toContain("/items");
    // On a kernel with Landlock, this starts the launcher.
    expect(await run({}, "doctor")).toMatch(
      /plugin fence +(?:Landlock \d+: a program in the fence could not read|none: this system)/,
    );
    expect(await run({}, "code-process")).toContain('"kind":"ready"');
  },
);

nightlyTest.skipIf(skipReason !== "")(
  `A plugin is made, tested, built, installed and called with the one file alone${skipReason}`,
  async () => {
    const made = await run({}, "wick", "plugin", "init", "tracker");
    expect(made).toContain("hub wick plugin build tracker");
    const folder = join(root, "tracker");
    const tested = start({}, "wick", "plugin", "test", "tracker");
    const exitCode = await tested.child.exited;
    await tested.stderr.ended;
    expect(exitCode, tested.stderr.text()).toBe(0);
    expect(tested.stderr.text()).toContain(" 1 pass");
    // As in a fresh clone of the author's repository.
    await rm(join(folder, "node_modules"), { recursive: true });
    const built = await run({}, "wick", "plugin", "build", "tracker", "--no-compress");
    const [archive = ""] = built.trim().split("\n");
    const program = Bun.file(join(root, archive));
    // The program is the plugin with Bun, and not the hub once more.
    const hub = await Bun.file(join(root, "hub")).bytes();
    expect(Buffer.from(hub).includes("hub-main")).toBe(true);
    expect(Buffer.from(await program.bytes()).includes("hub-main")).toBe(false);
    await run({}, "plugin", "install", archive);
    await run({}, "row", "add", "tracker", "--label", "Standalone", "--tag", "everyone");
    const call = ["row", "test", "Standalone", "greet", "--param", "who=Ada"];
    expect(JSON.parse(await run({}, ...call))).toEqual({ text: "Hello, Ada!" });

    await writeFile(
      join(folder, "package.json"),
      '{"name":"tracker","version":"0.2.0","type":"module"}',
    );
    const thin = await run({}, "wick", "plugin", "build", "tracker", "--thin");
    await run({}, "plugin", "install", thin.trim(), "--replace");
    expect(await run({}, "plugin", "info", "tracker")).toContain("0.2.0");
    expect(JSON.parse(await run({}, ...call))).toEqual({ text: "Hello, Ada!" });
    await checkOtherUser(thin.trim(), call.slice(3));
    expect(await run({}, "help", "plugin-protocol")).toContain("# The plugin protocol");
  },
);

nightlyTest.skipIf(skipReason !== "" || chromium === null)(
  `The one file keeps its data in PostgreSQL, and its pages run in a browser${skipReason}`,
  async () => {
    await using postgres = await startPostgres();
    const database = await postgres.createDatabase();
    const env = { HUB_DATABASE_URL: database, HUB_ENC_KEY: "5a".repeat(32) };
    await using hub = await serve(env);
    const password = /one-time password:\s+(\S+)/.exec(hub.stdout.text())?.[1] ?? "";
    expect(await run(env, "doctor")).toMatch(/database +PostgreSQL/);
    await using owner = new AsyncDisposableStack();
    const browser = await startChromium(chromium ?? "");
    owner.defer(() => browser.close());
    const base = `http://localhost:${hub.port}`;
    const visitor = await watchPage(await browser.newContext(), base);
    await signInByForm(visitor, { email: "admin@localhost", password });
    for (const path of ["/manager/connectors", "/workflows", "/manager/runs", "/admin/health"]) {
      await visit(visitor, path);
    }
    await visitor.page.getByText("PostgreSQL").first().waitFor();
    expect(visitor.faults).toEqual([]);
  },
);

test.skipIf(skipReason !== "")(
  `The one file loads nothing from the folder where it starts${skipReason}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "hub-hostile-"));
    owned.defer(() => rm(folder, { recursive: true, force: true }));
    const files = {
      ".env": "HUB_LOG_LEVEL=nonsense\nBUN_BE_BUN=1\nBUN_OPTIONS=--preload ./loaded.ts\n",
      "node_modules/zod/package.json": '{"name":"zod","main":"../../loaded.ts"}',
      "node_modules/commander/package.json": '{"name":"commander","main":"../../loaded.ts"}',
      "bunfig.toml": 'preload = ["./loaded.ts"]\n',
      "loaded.ts": 'console.log("LOADED");\n',
      "package.json": '{"name":"x","type":"commonjs","hub":{"entry":"loaded.ts"}}',
      "tsconfig.json": '{"compilerOptions":{"paths":{"*":["./loaded.ts"]}}}',
    };
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      [join(root, "hub"), "--data-dir", join(folder, "data"), "migrate"],
      { cwd: folder, env: {} },
    );
    expect(exitCode, `${stderr}`).toBe(0);
    expect(`${stdout}${stderr}`).not.toMatch(/LOADED|nonsense/);
  },
);

test.skipIf(skipReason !== "")(
  `The one file names no folder of the machine that built it${skipReason}`,
  async () => {
    const program = Buffer.from(await Bun.file(join(root, "hub")).arrayBuffer());
    expect(program.indexOf(`${checkout}/`)).toBe(-1);
  },
);

/** The name of the app's first module, as its packed manifest has it. */
async function findAppEntry(): Promise<string> {
  const program = Buffer.from(await Bun.file(join(root, "hub")).arrayBuffer());
  const at = program.lastIndexOf('{"entry":"main.');
  return /"entry":"([^"]+)"/.exec(program.subarray(at, at + 100).toString())?.[1] ?? "";
}

/** The executable of the hub lies where the user of plugins may not go, and runs a thin plugin all the same. */
async function checkOtherUser(archive: string, params: readonly string[]): Promise<void> {
  await mkdir(join(root, "root"), { mode: 0o700 });
  await link(join(root, "hub"), join(root, "root/hub"));
  const env = { HUB_DATA_DIR: "/tmp/other", HUB_PLUGIN_USER: "65534:65534", PROGRAM: "/root/hub" };
  await run(env, "migrate");
  await run(env, "plugin", "install", archive);
  await run(env, "row", "add", "tracker", "--label", "Thin", "--tag", "everyone");
  const answer = await run(env, "row", "test", "Thin", ...params);
  expect(JSON.parse(answer)).toEqual({ text: "Hello, Ada!" });
}

type Variables = Record<string, string>;

async function serve(env: Variables) {
  const hub = start(env, "serve", "--port", "0");
  const [, port = ""] = await hub.stdout.waitForMatch(/127\.0\.0\.1:(\d+)[\s\S]*\n/);
  const end = async () => {
    hub.child.kill();
    await hub.child.exited;
  };
  return { ...hub, port, [Symbol.asyncDispose]: end };
}

function start({ PROGRAM = "/hub", ...env }: Variables, ...args: string[]) {
  const command = ["chroot", root, PROGRAM, ...args];
  const child = Bun.spawn([...mount, root, ...command], {
    env: { PATH: process.env.PATH, HUB_DATA_DIR: "/tmp/data", ...env },
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return { child, stdout: collectText(child.stdout), stderr: collectText(child.stderr) };
}

async function run(env: Variables, ...args: string[]): Promise<string> {
  const { child, stdout, stderr } = start(env, ...args);
  const exitCode = await child.exited;
  await Promise.all([stdout.ended, stderr.ended]);
  expect(exitCode, stderr.text()).toBe(0);
  return stdout.text();
}

function findSkipReason(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return " (needs root on Linux)";
  const { success } = Bun.spawnSync(["unshare", "--mount", "true"]);
  return success ? "" : " (needs the right to mount)";
}
