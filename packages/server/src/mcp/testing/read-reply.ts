/** A frame typed as if it had every member, so that tests can check those they expect. */
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

/** The frame of a JSON answer of any status. */
export async function readJson(response: Response): Promise<ReplyFrame> {
  return toFrame(await response.text());
}

/** The frames of an event stream, once it has ended. */
export async function readEvents(response: Response): Promise<ReplyFrame[]> {
  const events = (await response.text()).matchAll(/^data: (.*)$/gm);
  return [...events].map(([, data]) => toFrame(data ?? ""));
}

export function toFrame(text: string): ReplyFrame {
  // A frame of another shape fails the test that reads it.
  return JSON.parse(text) as ReplyFrame;
}
