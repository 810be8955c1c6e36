/** What a plugin's process can see of the hub that runs it: nothing. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { openAuthorFolder } from "./support/make-plugin.ts";
import { buildFixture } from "./support/open-twins.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(120_000);

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
  const author = owned.use(await openAuthorFolder());
  const archive = await buildFixture(author, "nosy");
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
  home = join(hub.dataDir, "plugins/.homes/nosy");
  await layBait(home);
  await layBait(await realpath(join(hub.dataDir, "plugins/nosy")));
  const row = await hub.cli("row", "add", "nosy", "--label", "N", "--json");
  const { id } = row.json<{ id: string }>();
  const client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  // Several connections are open at the hub while the plugin looks around.
  owned.use(await connectHttp(hub.url, hub.adminToken()));
  seen = (await client.execute(`conn:${id}/look`)).value;
});
afterAll(() => owned.disposeAsync());

/** Files that a program of Bun's obeys when it is built or started carelessly. */
async function layBait(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ".env"), "BAIT=from-dotenv\n");
  await writeFile(join(folder, ".env.local"), "BAIT=from-dotenv\n");
  await writeFile(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await writeFile(join(folder, ".bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await writeFile(join(folder, "preload.ts"), 'globalThis.preloaded = "by bunfig";\n');
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs", "bun": {} }');
}

test("its environment is its own, down to the last name (trap 8)", () => {
  expect(Object.keys(seen.env).sort()).toEqual([
    "HOME",
    "LANG",
    "PATH",
    "PLUGIN_CLIENT_CERT",
    "PLUGIN_ENDS_WITH_STDIN",
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

test("no value of the hub's environment stands anywhere in it (trap 8)", () => {
  const text = JSON.stringify(seen);
  for (const value of ["secret", masterKey, "/nowhere", "HUB_", "hub_pat_"]) {
    expect(text).not.toContain(value);
  }
});

describe.skipIf(process.platform !== "linux")("its open files", () => {
  /** What a file is, where names differ from process to process. */
  const toKind = (target: string) => target.replace(/:\[\d+\]$/, "");

  test("are its pipes, what its own runtime opened, and its own socket", () => {
    const kinds = seen.files.filter(({ fd }) => fd > 2).map(({ target }) => toKind(target));
    for (const kind of kinds) {
      expect(["anon_inode:[eventpoll]", "anon_inode:[eventfd]", "socket", "pipe"]).toContain(kind);
    }
    expect(seen.files.filter(({ fd }) => fd <= 2)).toHaveLength(3);
  });

  test("are none of the hub's: neither database, lock, log, nor a client's connection", () => {
    const hubs = readdirSync(`/proc/${hub.pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${hub.pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(hubs.some((target) => target.endsWith("hub.sqlite"))).toBeTrue();
    // Its three pipes are the hub's at the other end.
    const shared = seen.files.filter(
      ({ fd, target }) => fd > 2 && !target.startsWith("anon_inode") && hubs.includes(target),
    );
    expect(shared).toEqual([]);
    expect(seen.files.filter(({ target }) => target.startsWith(hub.dataDir))).toEqual([]);
  });
});

test("files that lie in its home or beside it give it no orders", () => {
  expect(seen.env).not.toHaveProperty("BAIT");
  expect(seen.preloaded).toBeNull();
});
