import { join } from "node:path";
import { bundleMain } from "./bundle-main.ts";
import { type CliOptions, type CliResult, hubMain, toHubEnv } from "./run-cli.ts";

export type CommandRequest = {
  argv: readonly string[];
  /** In addition to the environment of the process. */
  env?: Record<string, string>;
  /** The default is the data folder. */
  cwd?: string;
};
export type CommandOutput = { exitCode: number; stdout: string; stderr: string };

/** A process that runs commands one after another. Each opens and closes the database itself. */
export type CommandProcess = AsyncDisposable & {
  run(request: CommandRequest): Promise<CliResult>;
};

const support = import.meta.dirname;
/** The program that runs the commands of each program. */
const runners = new Map([
  [hubMain, join(support, "command-runner.ts")],
  ...["fixture-hub.ts", "hostile-hub.ts", "plugins-hub.ts"].map((name): [string, string] => [
    join(support, name),
    join(support, name),
  ]),
]);

/** Whether {@link startCommandProcess} can run the commands of a program. */
export const hasCommandProcess = (main: string): boolean => runners.has(main);

/**
 * Starts one process for many commands, because the start is most of the cost of a command. The
 * commands have no terminal and no standard input.
 */
export function startCommandProcess(options: Omit<CliOptions, "stdin">): CommandProcess {
  const runner = runners.get(options.main ?? hubMain);
  if (runner === undefined) throw new Error(`${options.main} runs no commands for tests.`);
  const waiting: Array<PromiseWithResolvers<CommandOutput>> = [];
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, bundleMain(runner)], {
    env: toHubEnv(options),
    cwd: options.cwd ?? options.dataDir,
    stdio: ["ignore", "ignore", "pipe"],
    ipc(message: CommandOutput | "ready") {
      if (message === "ready") ready.resolve();
      else waiting.shift()?.resolve(message);
    },
    onExit() {
      const err = new Error("The process that runs commands has ended.");
      ready.reject(err);
      for (const { reject } of waiting.splice(0)) reject(err);
    },
  });
  // Only a caller of `run` needs the failure.
  ready.promise.catch(() => {});
  return {
    async run(request) {
      await ready.promise;
      const answer = Promise.withResolvers<CommandOutput>();
      waiting.push(answer);
      child.send(request);
      const output = await answer.promise;
      // The cast is safe: assertions of the caller fail for a wrong type.
      return { ...output, json: <Value>() => JSON.parse(output.stdout) as Value };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
