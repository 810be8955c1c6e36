/** An MCP server over stdio, called without a hub. */
export type DirectProgram = AsyncDisposable & {
  /** Resolves with the line that answers. */
  send(message: object): Promise<string>;
};

/** Starts a program, whose answers are lines in the order of the requests. */
export function talkToProgram(command: readonly string[]): DirectProgram {
  const child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const waiting: ((line: string) => void)[] = [];
  const readLines = async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) waiting.shift()?.(line);
    }
  };
  readLines();
  return {
    send(message) {
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.flush();
      return promise;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await child.exited;
    },
  };
}
