import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildFixture } from "../testing/build-fixture.ts";
import { openTestProcesses, toInstalled } from "../testing/open-test-processes.ts";
import { createTestCall } from "../testing/test-call.ts";

/** Files that would change what Bun runs, in the program's folder, those above it, and its home. */
function writeHostileFiles(folder: string, evil: string): void {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const name of ["bunfig.toml", ".bunfig.toml"])
    write(name, `preload = [${JSON.stringify(evil)}]`);
  for (const name of [".env", ".env.local", ".env.production"])
    write(name, "HOSTILE=yes\nBUN_OPTIONS=-r evil");
  const paths = Object.fromEntries(
    ["*", "fs", "node:fs", "http2", "node:path"].map((name) => [name, [evil]]),
  );
  const config = JSON.stringify({ compilerOptions: { baseUrl: ".", paths } });
  for (const name of ["tsconfig.json", "jsconfig.json"]) write(name, config);
  write(
    "package.json",
    JSON.stringify({ scripts: { "fixture.js": "exit 9" }, browser: { fs: evil } }),
  );
  for (const name of ["fs", "http2", "path"]) write(`node_modules/${name}/index.js`, "throw 1");
}

test("Files around a thin plugin do not change what runs, and it gets no other variables (attack)", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hub-hostile-")));
  const fixture = buildFixture("fixture-plugin.ts", "thin");
  const env = {
    PATH: process.env.PATH,
    HUB_ENC_KEY: "secret",
    BUN_OPTIONS: "--print 1",
    BUN_CONFIG_PRELOAD: "evil",
    NODE_OPTIONS: "-r evil",
    NODE_PATH: root,
  };
  const home = join(root, "home");
  const processes = openTestProcesses({ env, toHomeDir: () => home });
  try {
    const evil = join(root, "evil.js");
    writeFileSync(evil, `console.error("EVIL"); process.exit(9);`);
    const folder = join(root, "versions", "fixture");
    mkdirSync(folder, { recursive: true });
    const binaryPath = join(folder, "fixture.js");
    renameSync(fixture.binaryPath, binaryPath);
    for (const each of [root, dirname(folder), folder, home]) writeHostileFiles(each, evil);
    const connector = processes.toConnector(toInstalled({ ...fixture, binaryPath }));
    const seen = Object(
      await connector.invoke(createTestCall({ operation: "look_around", params: {} }).call),
    );
    expect(seen.cwd).toBe(home);
    expect(Object.keys(seen.env).sort()).toEqual(
      [
        ...["HOME", "PATH", "TMPDIR", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"],
        ...[
          "PLUGIN_CLIENT_CERT",
          "PLUGIN_ENDS_WITH_STDIN",
          "PLUGIN_MARK",
          "PLUGIN_MAX_PORT",
          "PLUGIN_MIN_PORT",
        ],
        ...["PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR", "WICK_CONNECTOR_PLUGIN"],
      ].sort(),
    );
    expect(processes.lines.filter(({ message }) => message.includes("EVIL"))).toEqual([]);
  } finally {
    await processes.close();
    fixture.remove();
    rmSync(root, { recursive: true });
  }
});
