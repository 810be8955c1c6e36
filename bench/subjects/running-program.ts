/** A server in a separate process. */
export type RunningProgram = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  pid: number;
};

const waitMsMax = 20_000;

type ProgramOptions = { cwd?: string; env?: Record<string, string> };

/** Starts a Bun program, and waits until it prints its address. */
export async function startProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<RunningProgram> {
  const child = Bun.spawn([process.execPath, ...args], {
    ...options,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const dispose = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(kill, waitMsMax);
    await child.exited;
    clearTimeout(timer);
    process.off("exit", kill);
  };
  try {
    const url = await findAddress([child.stdout, child.stderr]);
    return { url, pid: child.pid, [Symbol.asyncDispose]: dispose };
  } catch (err) {
    await dispose();
    throw err;
  }
}

/** Continues to read after the address, because a full pipe would block the program. */
function findAddress(streams: ReadableStream<Uint8Array>[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = "";
  const giveUp = (why: string) => reject(new Error(`${why}:\n${output}`));
  const timer = setTimeout(() => giveUp("It printed no address in time"), waitMsMax);
  const readAll = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let isFound = false;
    for await (const chunk of stream) {
      if (isFound) continue;
      output += decoder.decode(chunk, { stream: true });
      const port = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)(?=\D)/.exec(output)?.[1];
      isFound = port !== undefined;
      if (isFound) resolve(`http://127.0.0.1:${port}`);
    }
  };
  Promise.all(streams.map(readAll)).then(() => giveUp("It ended without an address"), reject);
  return promise.finally(() => clearTimeout(timer));
}
