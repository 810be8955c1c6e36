import { basename, join } from "node:path";
import { toProgramCommand } from "./compile-programs.ts";
import {
  type CliOptions,
  type CliResult,
  cheapHashes,
  compilerOptions,
  hubMain,
  layHub,
  toHubEnv,
} from "./run-cli.ts";

/** A command line for a runner, see `command-runner.ts`. */
export type CommandRequest = {
  /** The program, without its folder and ending. */
  program: string;
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string;
};
export type CommandOutput = { exitCode: number; stdout: string; stderr: string };

type CommandOptions = {
  argv: readonly string[];
  /** In addition to the environment of the commands before. */
  env?: Record<string, string>;
  /** The default is the data folder. */
  cwd?: string;
  /** The text of standard input, which is empty by default. */
  stdin?: string;
};

/** Runs commands one after another. Each opens and closes the database itself. */
export type CommandProcess = AsyncDisposable & {
  run(options: CommandOptions): Promise<CliResult>;
};

const support = import.meta.dirname;
const programs = ["fixture-hub", "form-hub", "hostile-hub", "hostile-texts-hub", "plugins-hub"];
const mains = new Set([hubMain, ...programs.map((name) => join(support, `${name}.ts`))]);

/** Whether {@link startCommandProcess} can run the commands of a program. */
export const hasCommandProcess = (main: string): boolean => mains.has(main);

/**
 * Runs many commands in one process, because the start is most of the cost of a command. The commands have no
 * terminal. The process is shared by the hubs and the test files of this process.
 */
export function startCommandProcess(options: Omit<CliOptions, "stdin">): CommandProcess {
  const { main = hubMain, dataDir } = options;
  if (!hasCommandProcess(main)) throw new Error(`${main} runs no commands for tests.`);
  const program = basename(main, ".ts");
  let last: Promise<unknown> = Promise.resolve();
  let running: Runner | null = null;

  async function run({ argv, env, cwd, stdin = "" }: CommandOptions): Promise<CliResult> {
    const all = toHubEnv({ dataDir, env: { ...options.env, ...env } });
    const { isEmpty = false } = options;
    await layHub({ dataDir, isEmpty, env: { ...options.env, ...env } }, argv);
    const runner = takeRunner(options.env);
    running = runner;
    const request = { program, argv, env: all, cwd: cwd ?? options.cwd ?? dataDir, stdin };
    const output = await runner.run(request);
    running = null;
    // Disposing of this may have ended it just after its answer.
    if (!runner.hasEnded()) idle.push(runner);
    // The cast is safe: assertions of the caller fail for a wrong type.
    return { ...output, json: <Value>() => JSON.parse(output.stdout) as Value };
  }

  return {
    run(request) {
      const result = last.then(() => run(request));
      last = result.catch(() => {});
      return result;
    },
    async [Symbol.asyncDispose]() {
      await running?.kill();
    },
  };
}

/** Runs one command as `runCli` does, in that process. */
export async function runCommand(
  { stdin, ...options }: CliOptions,
  argv: readonly string[],
): Promise<CliResult> {
  await using commands = startCommandProcess(options);
  return await commands.run({ argv, ...(stdin !== undefined && { stdin }) });
}

type Runner = {
  startEnv: string;
  run(request: CommandRequest): Promise<CommandOutput>;
  hasEnded(): boolean;
  kill(): Promise<void>;
};

const idle: Runner[] = [];

/** A preloaded module may read the environment when the process starts. */
function takeRunner(env: Record<string, string> = {}): Runner {
  const startEnv = "BUN_OPTIONS" in env ? env : {};
  const key = JSON.stringify(startEnv);
  // One may have ended while it was idle, such as for want of memory.
  const alive = idle.filter((runner) => !runner.hasEnded());
  idle.splice(0, idle.length, ...alive);
  const found = idle.findIndex((runner) => runner.startEnv === key);
  return idle.splice(found, found === -1 ? 0 : 1)[0] ?? startRunner(startEnv);
}

function startRunner(startEnv: Record<string, string>): Runner {
  const ready = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<CommandOutput>();
  let hasEnded = false;
  const child = Bun.spawn(toProgramCommand(join(support, "command-runner.ts")), {
    env: {
      PATH: process.env.PATH ?? "",
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
      ...compilerOptions,
      ...cheapHashes,
      ...startEnv,
    },
    cwd: support,
    stdio: ["ignore", "ignore", "ignore"],
    ipc(message: CommandOutput | "ready") {
      if (message === "ready") ready.resolve();
      else answer.resolve(message);
    },
    onExit() {
      hasEnded = true;
      const err = new Error("The process that runs commands has ended.");
      ready.reject(err);
      answer.reject(err);
      // After a timeout, Bun ends the processes of a test, and this one with them.
      const place = idle.indexOf(runner);
      if (place !== -1) idle.splice(place, 1);
    },
  });
  // Only a caller of `run` needs the failures.
  ready.promise.catch(() => {});
  answer.promise.catch(() => {});
  const runner: Runner = {
    startEnv: JSON.stringify(startEnv),
    async run(request) {
      await ready.promise;
      answer = Promise.withResolvers();
      child.ref();
      child.send(request);
      // An idle process does not keep a script from its end.
      return await answer.promise.finally(() => child.unref());
    },
    hasEnded: () => hasEnded,
    async kill() {
      hasEnded = true;
      child.kill("SIGKILL");
      await child.exited;
    },
  };
  return runner;
}
