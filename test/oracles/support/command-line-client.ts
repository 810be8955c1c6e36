type ClientAnswer = {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
  value: any;
};

/** An MCP client that is a command line: each call is a process, a connection and an answer. */
export type CommandLineClient = {
  listTools(): Promise<string[]>;
  /** Rejects with what the client says where it cannot connect at all. */
  call(tool: string, args: Record<string, unknown>): Promise<ClientAnswer>;
};

/** `home` is the folder in which the client may keep what it likes. */
export type ClientOptions = { url: string; token: string; home: string };
