import { exitCodes } from "../errors/usage-error.ts";

/** Arguments, environment and standard streams of the process. */
export type Terminal = {
  /** Without the program and the script. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Whether the process runs one command and ends, so that its priority is the command's. */
  isWholeProcess?: boolean;
};

export function openTerminal(argv: readonly string[]): Terminal {
  let hasFailed = false;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    // `hub runs | head` closes the pipe early, which is not a failure.
    if (code === "EPIPE" || hasFailed) return;
    hasFailed = true;
    process.exitCode = exitCodes.failure;
    process.stderr.write(`error: The output cannot be written (${code}).\n`);
  });
  // A server goes on without its log, and nothing is left that could be told.
  process.stderr.on("error", () => {});
  return {
    argv,
    env: process.env,
    cwd: process.cwd(),
    // Opened by the commands that read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    isWholeProcess: true,
  };
}

/** Whether the program can ask questions. */
export function isInteractive({ stdin, stderr, env }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !env.CI;
}

/** Reads all of standard input as text, without the line break that `echo` adds. */
export async function readStdin({ stdin }: Terminal): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
