/** A program with its arguments. It gets the standard streams of this process. */
export type StartedProgram = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
};

/**
 * Continues as another program. Where the system can replace a program within its process, this
 * function does not return. Elsewhere it resolves with the exit code.
 */
export async function startProjectProgram(program: StartedProgram): Promise<number> {
  const { command, args, env } = program;
  try {
    // Windows cannot replace a program.
    const execve = process.platform === "win32" ? undefined : process.execve;
    if (execve === undefined) return await mirrorProgram(program);
    return execve.call(process, command, [command, ...args], withoutUnset(env));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The system does not start ${command} (${reason}). If programs are not allowed in its folder, use --mode dev, which runs from source.`,
    );
  }
}

const mirroredSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Starts the program as a child process, passes signals on, and resolves with its exit code. If a
 * signal ended the child, it ends this process too.
 * @internal
 */
export async function mirrorProgram({ command, args, env }: StartedProgram): Promise<number> {
  let passOn: (signal: NodeJS.Signals) => void = () => {};
  const receive = (signal: NodeJS.Signals) => passOn(signal);
  // Before the start, so that no signal ends this process alone.
  for (const signal of mirroredSignals) process.on(signal, receive);
  try {
    const child = Bun.spawn([command, ...args], {
      env: withoutUnset(env),
      stdio: ["inherit", "inherit", "inherit"],
    });
    passOn = (signal) => child.kill(signal);
    await child.exited;
    if (child.signalCode === null) return child.exitCode ?? 1;
    stopReceiving(receive);
    process.kill(process.pid, child.signalCode);
    return 1;
  } finally {
    stopReceiving(receive);
  }
}

function stopReceiving(receive: (signal: NodeJS.Signals) => void): void {
  for (const signal of mirroredSignals) process.off(signal, receive);
}

function withoutUnset(env: StartedProgram["env"]): Record<string, string> {
  const set = Object.entries(env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries(set);
}
