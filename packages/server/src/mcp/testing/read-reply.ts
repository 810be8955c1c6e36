/** A frame as if it had every member: a test looks for those it expects. */
export type ReplyFrame = {
  jsonrpc: string;
  id: unknown;
  method: string;
  params: Record<string, unknown>;
  result: {
    content: [{ type: string; text: string }];
    structuredContent: Record<string, unknown>;
    isError: boolean;
    tools: Array<Record<string, unknown>>;
    protocolVersion: string;
    serverInfo: unknown;
    capabilities: unknown;
    instructions: string;
    ttlMs: number;
    _meta: unknown;
  };
  error: { code: number; message: string; data: Record<string, unknown> };
};

/** The frame that an answer consists of, whatever its status. */
export async function readJson(response: Response): Promise<ReplyFrame> {
  return toFrame(await response.text());
}

/** The frames of an event stream, once it has ended. */
export async function readEvents(response: Response): Promise<ReplyFrame[]> {
  const events = (await response.text()).matchAll(/^data: (.*)$/gm);
  return [...events].map(([, data]) => toFrame(data ?? ""));
}

export function toFrame(text: string): ReplyFrame {
  // What is not as the type says fails the test that looks at it.
  return JSON.parse(text) as ReplyFrame;
}
