type ClientAnswer = {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
  value: any;
};

/** An MCP client for the command line. Each call is a new process and connection. */
export type CommandLineClient = {
  listTools(): Promise<string[]>;
  /** Rejects with the client's message if it cannot connect. */
  call(tool: string, args: Record<string, unknown>): Promise<ClientAnswer>;
};

/** `home` is the folder for the client's files. */
export type ClientOptions = { url: string; token: string; home: string };
