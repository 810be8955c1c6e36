/** Sends a JSON-RPC message over plain HTTP, for tests of statuses, headers and bytes. */
export async function postRpc(
  url: string,
  token: string | null,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

export function toToolCall(name: string, args: Record<string, unknown>, id: number | string = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}
