import { tmpdir } from "node:os";
import { join } from "node:path";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { type CollectedText, collectText } from "./collect-text.ts";
import { type CommandProcess, hasCommandProcess, startCommandProcess } from "./command-process.ts";
import { toProgramCommand } from "./compile-programs.ts";
import { createDataFolder } from "./data-folder.ts";
import { endWithRunner } from "./end-with-runner.ts";
import { addUserWithToken, createManageToken } from "./people-without-commands.ts";
import {
  type CliOptions,
  type CliResult,
  hubMain,
  runCli,
  toHubEnv,
  withoutCallLimits,
} from "./run-cli.ts";

export type HubOptions = {
  /** Another program than `hub`, such as one with fixture connectors. */
  main?: string;
  env?: Record<string, string>;
  /** A folder that outlives this hub; without it the hub has one of its own. */
  dataDir?: string;
  /** Call limits as the hub has them by itself; a test's hub has none. */
  hasCallLimits?: boolean;
  /** Hashes passwords at the least cost, for tests in which many users sign in. */
  hasCheapPasswords?: boolean;
  /** Starts it from sources, for tests of what only such a hub does. */
  isFromSource?: boolean;
  /**
   * Runs it in the process of the test, for a tenth of the processor time. Its output is the log alone, and it is not killed.
   * For tests whose subject is not the process.
   */
  isHere?: boolean;
};

/** Makes passwords and passphrases cheap, see `cheap-passwords.ts`. */
export const cheapPasswords = {
  BUN_OPTIONS: `--preload ${join(import.meta.dirname, "cheap-passwords.ts")}`,
};

export type RunningHub = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  port: number;
  pid: number;
  dataDir: string;
  /** The admin's token as the first start printed it. */
  adminToken(): string;
  /** A token of a user, or of the first admin, that opens the management API. */
  makeManageToken(email?: string): Promise<string>;
  stdout(): string;
  stderr(): string;
  /** Runs a command in another process on the same data folder. Throws if the command fails. */
  cli(...args: string[]): Promise<CliResult>;
  /** The same with secrets in the environment, and failures returned. */
  tryCli(args: string[], options?: CommandInput): Promise<CliResult>;
  /** The same in a process of its own, for tests of several commands at once and of killed ones. */
  cliAlone(args: string[], options?: CommandInput): Promise<CliResult>;
  /** A user with a token, made as by the command line. */
  addUser(email: string, options?: { tags?: string[]; admin?: boolean }): Promise<TestUser>;
  /** Ends the program as a person would, and resolves with its exit code. */
  stop(): Promise<number>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
};

type CommandInput = { env?: Record<string, string>; stdin?: string };

export type TestUser = { email: string; token: string; tokenId: string };

/** What tests use of a hub: its program, or the hub in this process. */
type Serving = Pick<RunningHub, "port" | "pid" | "stdout" | "stderr" | "stop" | "kill"> & {
  token(): string | undefined;
};

/** Starts `hub serve` on a free port and waits until it says where it listens. */
export async function startHub(options: HubOptions = {}): Promise<RunningHub> {
  await using folders = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? folders.use(await createDataFolder()).path;
  // In the process of a test they are cheap in any case.
  const isPreloaded = options.hasCheapPasswords === true && options.isHere !== true;
  const env = { ...(isPreloaded ? cheapPasswords : {}), ...options.env };
  const cliOptions = { main: options.main ?? hubMain, dataDir, env };

  const isOnSqlite = !toHubEnv(cliOptions).HUB_DATABASE_URL;
  if (isOnSqlite) await layDatabase(dataDir);
  const limits = options.hasCallLimits === true ? {} : withoutCallLimits;

  const served = { ...cliOptions, env: { ...limits, ...env } };
  const serving = await (options.isHere === true
    ? serveHere(served, folders)
    : serveProgram(served, options, folders));
  const owned = folders.move();
  const cliAlone: RunningHub["cliAlone"] = (args, extra = {}) =>
    runCli({ ...cliOptions, ...extra, env: { ...env, ...extra.env } }, args);
  let commands: CommandProcess | undefined;
  const runShared: RunningHub["tryCli"] = (argv, extra) => {
    commands ??= owned.use(startCommandProcess(cliOptions));
    return commands.run({ argv, ...extra });
  };
  const tryCli = hasCommandProcess(cliOptions.main) ? runShared : cliAlone;
  const cli = async (...args: string[]) => {
    const result = await tryCli(args);
    if (result.exitCode !== 0) throw new Error(`hub ${args.join(" ")}: ${result.stderr}`);
    return result;
  };

  return {
    url: `http://127.0.0.1:${serving.port}`,
    port: serving.port,
    get pid() {
      return serving.pid;
    },
    dataDir,
    adminToken() {
      const token = serving.token();
      if (token === undefined) throw new Error("This start printed no token.");
      return token;
    },
    async makeManageToken(email = "admin@localhost") {
      if (isOnSqlite) return await createManageToken(dataDir, email);
      const user = ["--user", email, "--name", "manage"];
      const made = await cli("token", "create", ...user, "--scope", "manage", "--json");
      return made.json<{ token: string }>().token;
    },
    stdout: serving.stdout,
    stderr: serving.stderr,
    cli,
    tryCli,
    cliAlone,
    async addUser(email, { tags = [], admin = false } = {}) {
      if (isOnSqlite) return await addUserWithToken(dataDir, { email, tags, admin });
      const flags = [...tags.flatMap((tag) => ["--tag", tag]), ...(admin ? ["--admin"] : [])];
      await cli("user", "add", email, ...flags);
      const created = await cli("token", "create", "--user", email, "--name", "test", "--json");
      const { id, token } = created.json<{ id: string; token: string }>();
      return { email, token, tokenId: id };
    },
    stop: serving.stop,
    kill: serving.kill,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function serveProgram(
  served: CliOptions & { main: string },
  options: HubOptions,
  resources: AsyncDisposableStack,
): Promise<Serving> {
  const child = Bun.spawn([...toProgramCommand(served.main, options), "serve"], {
    env: toHubEnv(served),
    // A folder that belongs to no project, as a person's often does not.
    cwd: tmpdir(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  endWithRunner(child);
  resources.defer(async () => void (await end("SIGKILL")));
  const stdout = collectText(child.stdout);
  const stderr = collectText(child.stderr);

  async function end(signal: NodeJS.Signals): Promise<number> {
    child.kill(signal);
    const exitCode = await child.exited;
    await Promise.all([stdout.ended, stderr.ended]);
    return exitCode;
  }

  return {
    port: await waitForPort(stdout, stderr),
    pid: child.pid,
    token: () => /hub_pat_[0-9a-f]{32}/.exec(stdout.text())?.[0],
    stdout: stdout.text,
    stderr: stderr.text,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}

async function serveHere(
  served: CliOptions & { main: string },
  resources: AsyncDisposableStack,
): Promise<Serving> {
  const { startHubHere } = await import("./start-hub-here.ts");
  const { port, token, log, stop } = await startHubHere(served.main, toHubEnv(served));
  resources.defer(stop);
  const refuse = () => {
    throw new Error("This hub has no process of its own.");
  };
  return {
    port,
    get pid() {
      return refuse();
    },
    token: () => token,
    stdout: () => "",
    stderr: log,
    async stop() {
      await stop();
      return 0;
    },
    kill: refuse,
  };
}

/** The port in the address that the program prints, once it has said all that it says at a start. */
async function waitForPort(stdout: CollectedText, stderr: CollectedText): Promise<number> {
  // The address for clients may be that of a proxy.
  const welcome = /listening on \S+:(\d+)\n.*\/mcp.*(?:hub_pat_[0-9a-f]{32}|token create).*\n/s;
  try {
    return Number((await stdout.waitForMatch(welcome))[1]);
  } catch (cause) {
    throw new Error(`The hub did not start:\n${stderr.text()}`, { cause });
  }
}
