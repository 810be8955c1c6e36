/**
 * Protects: beside a service, a command works on the service's hub or is refused with what to do, for each user and each place
 * of the service's key and database. It needs root, to be three users.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { collectText } from "../support/collect-text.ts";
import { toProgramCommand } from "../support/compile-programs.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { hubMain } from "../support/run-cli.ts";

setDefaultTimeout(180_000);

const isRoot = process.getuid?.() === 0 && process.platform === "linux";
/** No users of this machine. */
const users = { root: 0, service: 54_321, another: 54_322 };
type User = keyof typeof users;
const key = "c4".repeat(32);

const owned = new AsyncDisposableStack();
let postgres: PostgresServer;
let command: [string, ...string[]];
beforeAll(async () => {
  if (!isRoot) return;
  postgres = owned.use(await startPostgres());
  command = await placeForAll();
});
afterAll(() => owned.disposeAsync());

/** The hub where every user may start it. */
async function placeForAll(): Promise<[string, ...string[]]> {
  const [program, ...args] = toProgramCommand(hubMain);
  if (args.length > 0) return [program, ...args];
  const { path } = owned.use(await createDataFolder());
  const copy = join(path, "hub");
  await copyFile(program, copy);
  for (const each of [path, copy]) await chmod(each, 0o755);
  return [copy];
}

/** Where a service has its key and its database. */
const settingsOf = {
  none: async () => ({}),
  key: async () => ({ HUB_ENC_KEY: key }),
  both: async () => ({ HUB_ENC_KEY: key, HUB_DATABASE_URL: await postgres.createDatabase() }),
};

async function openService(env: Record<string, string>) {
  const folder = await createDataFolder();
  const home = join(folder.path, "home");
  const dataDir = join(folder.path, "data");
  const unit = join(home, ".config/systemd/user/hub.service");
  const envFile = join(folder.path, "hub.env");
  await mkdir(join(unit, ".."), { recursive: true });
  await mkdir(dataDir, { mode: 0o700 });
  await Bun.write(
    unit,
    `[Service]\nEnvironment="HUB_DATA_DIR=${dataDir}"\nEnvironmentFile=${envFile}\n`,
  );
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  await Bun.write(envFile, lines.join(""));
  await chmod(envFile, 0o600);
  Bun.spawnSync(["chmod", "-R", "go+rX", home]);
  Bun.spawnSync(["chmod", "755", folder.path]);
  for (const path of [dataDir, envFile]) await chown(path, users.service, users.service);

  const start = (by: User, args: string[], more: Record<string, string>): ChildProcess =>
    spawn(command[0], [...command.slice(1), ...args], {
      uid: users[by],
      gid: users[by],
      cwd: "/",
      env: {
        PATH: process.env.PATH ?? "",
        HOME: home,
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        ...more,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const run = async (by: User, args: string[], more: Record<string, string> = {}) => {
    const child = start(by, args, more);
    const [stdout, stderr, exitCode] = await Promise.all([
      Bun.readableStreamToText(toWeb(child.stdout)),
      Bun.readableStreamToText(toWeb(child.stderr)),
      new Promise<number>((resolve) => child.on("exit", (code) => resolve(code ?? -1))),
    ]);
    return { exitCode, stdout, stderr };
  };
  return {
    dataDir,
    envFile,
    run,
    /** The server as systemd starts it. Resolves when it answers. */
    async serve(): Promise<AsyncDisposable> {
      const child = start("service", ["serve"], { ...env, HUB_DATA_DIR: dataDir, HUB_PORT: "0" });
      const output = collectText(toWeb(child.stdout));
      const errors = collectText(toWeb(child.stderr));
      try {
        await output.waitForMatch(/http:\/\/[\w.]+:\d+\/mcp/);
      } catch (cause) {
        throw new Error(errors.text(), { cause });
      }
      const ended = new Promise((resolve) => child.on("exit", resolve));
      return {
        async [Symbol.asyncDispose]() {
          child.kill("SIGTERM");
          await ended;
        },
      };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function toWeb(stream: ChildProcess["stdout"]): ReadableStream<Uint8Array> {
  if (stream === null) throw new Error("The stream is not piped");
  return new ReadableStream({
    start(controller) {
      stream.on("data", (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)));
      stream.on("end", () => controller.close());
    },
  });
}

/** What a command says that is refused; null for one that works. By user, without and with `hub service run`. */
const outcomes: Record<keyof typeof settingsOf, Record<User, [RegExp | null, RegExp | null]>> = {
  none: {
    root: [null, null],
    service: [null, null],
    another: [/cannot open the data folder .*sudo -u/s, /cannot read the settings .*sudo/s],
  },
  key: {
    root: [/HUB_ENC_KEY, which is not set here\. Set HUB_ENC_KEY as the server has it/, null],
    service: [/HUB_ENC_KEY, which is not set here\. Set HUB_ENC_KEY as the server has it/, null],
    another: [/cannot open the data folder .*sudo -u/s, /cannot read the settings .*sudo/s],
  },
  both: {
    root: [/uses PostgreSQL at .* service run -- COMMAND/s, null],
    service: [/uses PostgreSQL at .* service run -- COMMAND/s, null],
    another: [/cannot open the data folder .*sudo -u/s, /cannot read the settings .*sudo/s],
  },
};

describe.skipIf(!isRoot)("Beside a service with its settings in a file", () => {
  test.each(
    someOf(1, Object.keys(settingsOf) as Array<keyof typeof settingsOf>),
  )("with %s of key and database there, each command is right or is refused", async (kind) => {
    await using service = await openService(await settingsOf[kind]());
    await using _ = await service.serve();
    const before = (await readdir(service.dataDir)).sort();
    const added: string[] = [];
    for (const by of Object.keys(users) as User[]) {
      for (const [index, refusal] of outcomes[kind][by].entries()) {
        const runsAsService = index === 1;
        const email = `${kind}-${by}-${index}@example.com`;
        const run = (...args: string[]) =>
          runsAsService
            ? service.run(by, ["service", "run", "--user", "--", ...args])
            : service.run(by, args, { HUB_DATA_DIR: service.dataDir });
        const write = await run("user", "add", email);
        const read = await run("user", "list", "--json");
        if (refusal === null) {
          expect([by, index, write.exitCode, write.stderr]).toEqual([by, index, 0, ""]);
          expect(read.stdout).toContain(email);
          added.push(email);
          continue;
        }
        for (const { exitCode, stdout, stderr } of [write, read]) {
          expect([by, index, exitCode === 0, stdout]).toEqual([by, index, false, ""]);
          expect(stderr).toMatch(refusal);
        }
      }
    }
    // Settings that others may read do not open the folder to them.
    await chmod(service.envFile, 0o644);
    const refused = await service.run("another", [
      ...["service", "run", "--user", "--", "user", "list"],
    ]);
    expect(refused.stderr).toMatch(/cannot open the data folder .*sudo -u/s);
    const list = await service.run("service", [
      ...["service", "run", "--user", "--", "user", "list", "--json"],
    ]);
    const emails = (JSON.parse(list.stdout) as Array<{ email: string }>).map(({ email }) => email);
    expect(emails.filter((email) => email.endsWith("@example.com")).sort()).toEqual(added.sort());
    expect((await readdir(service.dataDir)).sort()).toEqual(before);
  });

  test("with a database and no key there, the server does not start and says what it needs", async () => {
    await using service = await openService({ HUB_DATABASE_URL: await postgres.createDatabase() });
    await expect(service.serve()).rejects.toThrow("With HUB_DATABASE_URL, set HUB_ENC_KEY too");
  });
});
