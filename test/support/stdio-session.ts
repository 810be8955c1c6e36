import { collectText } from "./collect-text.ts";
import { endWithRunner } from "./end-with-runner.ts";
import { type StdioOptions, toStdioCommand } from "./stdio-command.ts";
import { waitFor } from "./wait-for.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
export type Message = any;

/** A process of `hub mcp serve` without a client library. All its output is recorded. */
export type StdioSession = AsyncDisposable & {
  send(message: unknown): void;
  sendLine(line: string | Uint8Array): void;
  /** The answer to the request with this id. */
  answerTo(id: number | string): Promise<Message>;
  /** The first message that `isWanted` accepts. */
  waitForMessage(isWanted: (message: Message) => boolean): Promise<Message>;
  stdout(): string;
  stderr(): string;
  /** Closes standard input, as a client does at its end, and returns the exit code. */
  close(): Promise<number>;
  /** Sends a signal and returns how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ exitCode: number | null; signalCode: unknown }>;
  /** Waits for the end of a process that ends by itself. */
  exited(): Promise<number>;
};

export function openStdioSession(options: StdioOptions): StdioSession {
  return openCommandSession(toStdioCommand(options));
}

type SessionCommand = { command: string; args: string[]; env: Record<string, string>; cwd: string };

/** The same for any program that serves MCP over its standard streams. */
export function openCommandSession(program: SessionCommand): StdioSession {
  const { command, args, env, cwd } = program;
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  endWithRunner(child);
  const stdout = collectText(child.stdout);
  const stderr = collectText(child.stderr);

  function sendLine(line: string | Uint8Array): void {
    child.stdin.write(line);
    child.stdin.write("\n");
    child.stdin.flush();
  }

  const waitForMessage: StdioSession["waitForMessage"] = (isWanted) =>
    waitFor(() => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The session ended:\n${stderr.text()}`);
      return readMessages(stdout.text()).find(isWanted);
    });

  async function waitForEnd(): Promise<number> {
    const exitCode = await child.exited;
    await Promise.all([stdout.ended, stderr.ended]);
    return exitCode;
  }

  return {
    sendLine,
    send: (message) => sendLine(JSON.stringify(message)),
    waitForMessage,
    answerTo: (id) =>
      waitForMessage((message) => message.id === id && message.method === undefined),
    stdout: stdout.text,
    stderr: stderr.text,
    async close() {
      await child.stdin.end();
      return waitForEnd();
    },
    async end(signal) {
      child.kill(signal);
      await waitForEnd();
      return { exitCode: child.exitCode, signalCode: child.signalCode };
    },
    exited: waitForEnd,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Parses the complete lines. Each must be one JSON-RPC message. */
export function readMessages(stdout: string): Message[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export const initialize = {
  jsonrpc: "2.0",
  id: "initialize",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "hub-test", version: "1.0.0" },
  },
};
