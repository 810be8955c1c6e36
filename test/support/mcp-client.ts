import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

/** The result of a tool call. */
export type ToolAnswer = {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
  value: any;
  structured: Record<string, unknown> | undefined;
  /** The content after the text. */
  blocks: unknown[];
};

type CallOptions = {
  signal?: AbortSignal;
  onprogress?: (report: { progress: number; total?: number; message?: string }) => void;
};

/** The interface through which tests use an official client. */
export type TestClient = AsyncDisposable & {
  listTools(): Promise<Array<{ name: string; description?: string; annotations?: unknown }>>;
  ping(): Promise<unknown>;
  instructions(): string | undefined;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  execute(
    toolId: string,
    params?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<ToolAnswer>;
};

/** The members that both official clients have. */
type OfficialClient = {
  listTools(): Promise<{ tools: Awaited<ReturnType<TestClient["listTools"]>> }>;
  ping(): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
};

type CallTool = (
  request: { name: string; arguments: Record<string, unknown> },
  options: CallOptions,
) => Promise<unknown>;

export function createTestClient(client: OfficialClient, callTool: CallTool): TestClient {
  const call: TestClient["call"] = async (name, args = {}, options = {}) =>
    readAnswer(await callTool({ name, arguments: args }, options));
  return {
    listTools: async () => (await client.listTools()).tools,
    ping: () => client.ping(),
    instructions: () => client.getInstructions(),
    call,
    execute: (toolId, params = {}, options = {}) =>
      call("hub_execute", { tool_id: toolId, params }, options),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Validates a `tools/call` result with the official schema, and parses its text. */
export function readAnswer(result: unknown): ToolAnswer {
  const { content, isError = false, structuredContent } = CallToolResultSchema.parse(result);
  const [first, ...blocks] = content;
  if (first?.type !== "text") throw new Error("The answer does not begin with text.");
  return {
    isError,
    text: first.text,
    value: JSON.parse(first.text),
    structured: structuredContent,
    blocks,
  };
}
