import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

type Asked = { mode?: string; message: string; url?: string; requestedSchema?: unknown };
type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

export type NewestClient = AsyncDisposable & {
  /** What its user was asked. */
  asked: Asked[];
  /** Calls an operation of a row. */
  call(row: string, operation: string): Promise<{ isError: boolean; text: string }>;
};

/** A client of the official library 2.4.0 and of 2026-07-28 alone, which shows what it declares. */
export async function openNewestClient(
  hub: { url: string; token: string },
  elicitation: { form?: Record<string, never>; url?: Record<string, never> } | null,
  person: (asked: Asked) => Answer,
): Promise<NewestClient> {
  const client = new Client(
    { name: "hub-test", version: "1.0.0" },
    {
      capabilities: elicitation === null ? {} : { elicitation },
      versionNegotiation: { mode: "auto" },
    },
  );
  const asked: Asked[] = [];
  if (elicitation !== null) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push({ ...params });
      return person({ ...params });
    });
  }
  const headers = { authorization: `Bearer ${hub.token}` };
  const url = new URL(`${hub.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  if (client.getProtocolEra() !== "modern") throw new Error("The hub speaks an older version.");
  return {
    asked,
    async call(row, operation) {
      const args = { tool_id: `conn:${row}/${operation}`, params: {} };
      const { isError, content } = await client.callTool({ name: "hub_execute", arguments: args });
      const [first] = content;
      return { isError: isError === true, text: first?.type === "text" ? first.text : "" };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
