/** The steps of a plugin's author, with the programs of the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { appendFile, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { takeBuiltPlugin } from "./support/build-once.ts";
import { runCommand } from "./support/command-process.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { runCli } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const main = resolve(import.meta.dirname, "../packages/cli/src/wick.ts");
const os = process.platform === "win32" ? "windows" : process.platform;
const host = `${os}-${process.arch === "x64" ? "amd64" : process.arch}`;
const archive = `dist/tracker-0.1.0-${host}.zip`;
/** At night, what is signed and compressed is a standalone program of 100 MiB, which takes seconds. */
const isWhole = process.env.HUB_TEST_WHOLE_BUILDS === "1";
let folder: string;

// The home folder contains the cached runtimes.
const env = { HOME: process.env.HOME ?? "" };
const wick = (...args: string[]) => runCli({ main, dataDir: folder, env }, ["plugin", ...args]);
/** The same commands by `hub wick`, in a process that starts once: for those that build nothing. */
const runQuickly = (...args: string[]) =>
  runCommand({ dataDir: folder, env }, ["wick", "plugin", ...args]);
const readHash = async (path: string) =>
  new Bun.CryptoHasher("sha256").update(await Bun.file(join(folder, path)).bytes()).digest("hex");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-wick-"));
  expect(await wick("init", "tracker")).toMatchObject({ exitCode: 0, stderr: "" });
  await takeBuiltPlugin("tracker", join(folder, "dist"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("The generated test of a new plugin passes", async () => {
  const child = Bun.spawn([process.execPath, "test"], {
    cwd: join(folder, "tracker"),
    stdout: "ignore",
    stderr: "pipe",
  });
  const stderr = await child.stderr.text();
  expect(await child.exited, stderr).toBe(0);
});

test("wick plugin init refuses a folder that exists", async () => {
  const { exitCode, stderr } = await runQuickly("init", "tracker");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("already exists");
});

test("An invalid key is a usage error", async () => {
  for (const key of ["Tracker", "a-b", "../x", ""]) {
    expect((await runQuickly("init", key)).exitCode, key).toBe(2);
  }
});

nightlyTest("Building the same source twice produces the same bytes", async () => {
  const first = await readHash(archive);
  await wick("build", "tracker", "--no-compress", "--out", "again");
  expect(await readHash(archive.replace("dist", "again"))).toBe(first);
});

test("The signature of a build is valid only with its key", async () => {
  const result = (await runQuickly("keygen", "--json")).json<{ public_key: string }>();
  expect((await runQuickly("keygen")).stderr).toContain("never overwritten");
  const other = (await runQuickly("keygen", "--out", "other.key", "--json")).json<typeof result>();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const toFile = (name: string, text: string | Buffer) => writeFile(join(folder, name), text);
  await toFile("cosign.key", privateKey.export({ type: "pkcs8", format: "pem" }));
  await toFile("cosign.pub", publicKey.export({ type: "spki", format: "pem" }));
  const keys = ["--sign-key", "wick-sign.key", "--cosign-key", "cosign.key"];
  const build = ["build", "tracker", ...(isWhole ? [] : ["--thin"])];
  expect((await wick(...build, "--out", "signed", ...keys)).exitCode).toBe(0);
  expect((await wick(...build, "--out", "plain", "--no-compress")).exitCode).toBe(0);

  const name = `tracker-0.1.0-${isWhole ? host : "hub-any"}.zip`;
  const [path, plain] = [`signed/${name}`, `plain/${name}`];
  // Compression reduces a program to about half, and a script to a third.
  const packed = Bun.file(join(folder, path)).size / Bun.file(join(folder, plain)).size;
  expect(packed).toBeWithin(0.2, 0.7);
  const both = ["--pubkey", result.public_key, "--cosign-pubkey", "cosign.pub"];
  const trusted = await runQuickly("verify", path, ...both, "--json");
  expect(trusted.json()).toMatchObject({ key: "tracker", proto_version: 2, signature: "signed" });
  const otherKey = await runQuickly("verify", path, "--pubkey", other.public_key, "--json");
  expect(otherKey.exitCode).toBe(1);
  expect(JSON.parse(otherKey.stderr)).toMatchObject({ check: "signature", plugin: "tracker" });
  const unsigned = await runQuickly("verify", plain, "--cosign-pubkey", "cosign.pub", "--json");
  expect(JSON.parse(unsigned.stderr)).toMatchObject({ check: "cosign" });
});

test("A thin build is one small reproducible archive with its licences, beside the program in the catalog", async () => {
  const out = ["--out", "both", "--json"];
  const built = await wick("build", "tracker", "--thin", "--hub", ">=0.1.0 <3.0.0", ...out);
  expect(built.json()).toEqual([
    expect.objectContaining({ target: "hub/any", path: "both/tracker-0.1.0-hub-any.zip" }),
  ]);
  const path = "both/tracker-0.1.0-hub-any.zip";
  expect(Bun.file(join(folder, path)).size).toBeLessThan(1_000_000);
  const first = await readHash(path);
  await wick("build", "tracker", "--thin", "--hub", ">=0.1.0 <3.0.0", ...out);
  expect(await readHash(path)).toBe(first);
  const text = Bun.spawnSync(["unzip", "-p", join(folder, path), "tracker.js"]).stdout.toString();
  const licences = text.slice(text.lastIndexOf("/*!"));
  expect(licences.match(/^@grpc\/grpc-js [\d.]+\n\n *Apache License/m)).not.toBeNull();
  await copyFile(join(folder, archive), join(folder, archive.replace("dist", "both")));
  const catalog = await wick("catalog", "--from", "both", "--out", "both/plugins.json", "--json");
  const url = `tracker-0.1.0-${host}.zip`;
  expect(catalog.json()).toMatchObject([
    {
      assets: { "hub/any": "tracker-0.1.0-hub-any.zip", [host.replace("-", "/")]: url },
      hub: ">=0.1.0 <3.0.0",
    },
  ]);
  const text2 = (await runQuickly("verify", path)).stdout;
  expect(text2).toBe("tracker 0.1.0 for hub/any (hub >=0.1.0 <3.0.0): unsigned\n");
});

test.each([
  [["--thin", "--all"], "--thin builds for all platforms"],
  [["--thin", "--protocol", "1"], "for protocol 2 only"],
  [["--hub", "^1.0.0"], "Add --thin"],
  [["--thin", "--hub", "newest"], "is not a range of hub versions"],
])("wick plugin build %j is a usage error", async (args, message) => {
  const { exitCode, stderr } = await runQuickly("build", "tracker", ...args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("A thin build fails if a module is not in it or the archive is large", async () => {
  const main = join(folder, "odd/src/main.ts");
  await mkdir(join(folder, "odd/src"), { recursive: true });
  await writeFile(join(folder, "odd/package.json"), '{ "version": "1.0.0" }');
  await writeFile(main, 'import("absent_module").catch(() => {});\n');
  const missing = await wick("build", "odd", "--thin");
  expect(missing).toMatchObject({ exitCode: 1 });
  expect(missing.stderr).toContain("modules that are not in it: absent_module");
  const module = { Meta: { Key: "odd" } };
  const noise = randomBytes(1_100_000).toString("base64");
  await writeFile(
    main,
    `console.log(${JSON.stringify(JSON.stringify(module))}, ""); globalThis.noise = "${noise}";`,
  );
  const large = await wick("build", "odd", "--thin");
  expect(large.stderr).toMatch(
    /The thin archive of odd has \d+ bytes; it must have fewer than 1000000/,
  );
  expect(await Bun.file(join(folder, "dist/odd-1.0.0-hub-any.zip")).exists()).toBeFalse();
});

nightlyTest("A build with a failing target fails, and leaves no archive (trap 30)", async () => {
  await copyPlugin("half");
  // Code for one system is read only when that system is built.
  const line = 'if (process.platform === "darwin") require("./missing.ts");\n';
  await appendFile(join(folder, "half/src/main.ts"), line);
  const targets = ["--target", `${host.replace("-", "/")},darwin/arm64`, "--out", "half-dist"];
  const { exitCode, stderr } = await wick("build", "half", "--no-compress", ...targets);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("darwin/arm64 failed");
  expect(await readdir(join(folder, "half-dist")).catch(() => [])).toEqual([]);
});

test("An unknown target is a usage error", async () => {
  expect((await runQuickly("build", "tracker", "--target", "plan9/amd64")).exitCode).toBe(2);
});

test("The manifest comes from the program, so a folder name cannot change the connector's key", async () => {
  await mkdir(join(folder, "plugins"), { recursive: true });
  await copyPlugin("plugins/renamed");
  await writeFile(
    join(folder, "plugins/renamed/src/connector.ts"),
    await Bun.file(join(folder, "tracker/src/connector.ts")).text(),
  );
  const { exitCode, stderr } = await wick("build", "renamed");
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the key "tracker"');
});

nightlyTest(
  "A catalog lists each archive with its hash, and a running hub can install from it",
  async () => {
    expect(
      await runQuickly("catalog", "--from", "dist", "--out", "dist/plugins.json"),
    ).toMatchObject({
      exitCode: 0,
    });
    const platform = host.replace("-", "/");
    expect(await Bun.file(join(folder, "dist/plugins.json")).json()).toEqual([
      {
        key: "tracker",
        name: "Tracker",
        description: expect.any(String),
        version: "0.1.0",
        assets: { [platform]: `tracker-0.1.0-${host}.zip` },
        sha256: { [platform]: await readHash(archive) },
      },
    ]);
    await using hub = await startHub({
      env: { HUB_PLUGIN_CATALOG: join(folder, "dist/plugins.json") },
    });
    const found = await hub.cli("plugin", "search", "track", "--json");
    expect(found.json()).toMatchObject({ plugins: [{ key: "tracker", available: true }] });
    await hub.cli("plugin", "install", "tracker");
    const row = ["row", "add", "tracker", "--label", "T", "--tag", "everyone", "--json"];
    const { id } = (await hub.cli(...row)).json<{ id: string }>();
    await using client = await connectHttp(hub.url, hub.adminToken());
    const greet = () => client.execute(`conn:${id}/greet`, { who: "Ada" });
    expect((await greet()).value).toEqual({ text: "Hello, Ada!" });
    await hub.cli("plugin", "remove", "tracker");
    expect((await hub.cli("plugin", "list", "--json")).json()).toEqual([]);
    expect(await hub.stop()).toBe(0);
  },
);

/** Copies the plugin under another key. */
async function copyPlugin(path: string): Promise<void> {
  const key = path.split("/").at(-1) ?? path;
  const result = await runCli({ main, dataDir: join(folder, path, "..").replace(/\/$/, ""), env }, [
    "plugin",
    "init",
    key,
  ]);
  expect(result).toMatchObject({ exitCode: 0 });
}
