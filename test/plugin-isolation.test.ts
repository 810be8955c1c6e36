/** Protects: a plugin's process gets no environment variables, files or connections of the hub. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { takeBuiltPlugin } from "./support/build-once.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { usesPostgres } from "./support/test-database.ts";

setDefaultTimeout(180_000);

type Surroundings = {
  env: Record<string, string>;
  argv: string[];
  cwd: string;
  files: Array<{ fd: number; target: string }>;
  preloaded: string | null;
};

const owned = new AsyncDisposableStack();
const masterKey = "5a".repeat(32);
let hub: RunningHub;
let home: string;
let seen: Surroundings;

beforeAll(async () => {
  const folder = owned.use(await createDataFolder()).path;
  const { archive } = await takeBuiltPlugin("probe", folder);
  hub = owned.use(
    await startHub({
      env: {
        HUB_ENC_KEY: masterKey,
        AWS_SECRET_ACCESS_KEY: "cloud-secret",
        DATABASE_URL: "postgres://user:database-secret@db/hub",
        GITHUB_TOKEN: "forge-secret",
        NODE_OPTIONS: "--no-warnings",
        BUN_OPTIONS: "",
        LD_LIBRARY_PATH: "/nowhere",
        LANG: "C.UTF-8",
        SSL_CERT_DIR: "/etc/ssl/certs",
      },
    }),
  );
  await hub.cli("plugin", "install", archive);
  home = join(hub.dataDir, "plugins/.homes/probe");
  await writeConfigFiles(home);
  await writeConfigFiles(await realpath(join(hub.dataDir, "plugins/probe")));
  const row = await hub.cli("row", "add", "probe", "--label", "N", "--json");
  const { id } = row.json<{ id: string }>();
  const client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  // The hub has several open connections while the plugin inspects its process.
  owned.use(await connectHttp(hub.url, hub.adminToken()));
  seen = (await client.execute(`conn:${id}/look`)).value;
});
afterAll(() => owned.disposeAsync());

/** Writes configuration files that Bun programs load by default. */
async function writeConfigFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ".env"), "BAIT=from-dotenv\n");
  await writeFile(join(folder, ".env.local"), "BAIT=from-dotenv\n");
  await writeFile(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await writeFile(join(folder, ".bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await writeFile(join(folder, "preload.ts"), 'globalThis.preloaded = "by bunfig";\n');
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs", "bun": {} }');
}

test("A plugin's environment contains only the listed variables (trap 8)", () => {
  expect(Object.keys(seen.env).sort()).toEqual([
    "HOME",
    "LANG",
    "PATH",
    "PLUGIN_CLIENT_CERT",
    "PLUGIN_ENDS_WITH_STDIN",
    "PLUGIN_MARK",
    "PLUGIN_MAX_PORT",
    "PLUGIN_MIN_PORT",
    "PLUGIN_PROTOCOL_VERSIONS",
    "PLUGIN_UNIX_SOCKET_DIR",
    "SSL_CERT_DIR",
    "TMPDIR",
    "WICK_CONNECTOR_PLUGIN",
  ]);
  expect(seen.env.HOME).toBe(home);
  expect(seen.cwd).toBe(home);
  expect(seen.argv).toHaveLength(2);
});

test("A plugin cannot see any value of the hub's environment (trap 8)", () => {
  const text = JSON.stringify(seen);
  for (const value of ["secret", masterKey, "/nowhere", "HUB_", "hub_pat_"]) {
    expect(text).not.toContain(value);
  }
});

describe.skipIf(process.platform !== "linux")("The open files of a plugin", () => {
  /** The kind of a file, without the inode number. */
  const toKind = (target: string) => target.replace(/:\[\d+\]$/, "");

  test("A plugin's open files are its pipes, its socket and those of its runtime", () => {
    const kinds = seen.files.filter(({ fd }) => fd > 2).map(({ target }) => toKind(target));
    for (const kind of kinds) {
      expect(["anon_inode:[eventpoll]", "anon_inode:[eventfd]", "socket", "pipe"]).toContain(kind);
    }
    expect(seen.files.filter(({ fd }) => fd <= 2)).toHaveLength(3);
  });

  test("A plugin has no open files of the hub: database, lock, log or client connections", () => {
    const hubTargets = readdirSync(`/proc/${hub.pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${hub.pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    const isDatabase = (target: string) =>
      usesPostgres ? target.startsWith("socket:") : target.endsWith("hub.sqlite");
    expect(hubTargets.some(isDatabase)).toBeTrue();
    // The first three files are pipes to the hub.
    const shared = seen.files.filter(
      ({ fd, target }) => fd > 2 && !target.startsWith("anon_inode") && hubTargets.includes(target),
    );
    expect(shared).toEqual([]);
    expect(seen.files.filter(({ target }) => target.startsWith(hub.dataDir))).toEqual([]);
  });
});

test("A plugin ignores configuration files in its home folder and beside its program", () => {
  expect(seen.env).not.toHaveProperty("BAIT");
  expect(seen.preloaded).toBeNull();
});
