import { isJsonObject, type JsonSchema } from "@hub/connector";
import type { CallToolRequest, Client, RequestOptions } from "@modelcontextprotocol/client";
import { anyResult, findKept } from "./results/keep-results.ts";

type Tool = { name: string; inputSchema: JsonSchema };

/** Calls a tool. Its result is as the server sent it. */
export async function callTool(
  client: Client,
  { name, inputSchema }: Tool,
  params: CallToolRequest["params"],
  options: RequestOptions,
): Promise<Record<string, unknown>> {
  if (client.getProtocolEra() !== "modern" || !declaresHeaders(inputSchema)) {
    return findKept(await client.request({ method: "tools/call", params }, anyResult, options));
  }
  // The library writes the headers. The definition has no output schema, which it would compile.
  const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
  return findKept(await client.callTool(params, { ...options, toolDefinition }));
}

/** Whether an argument is also sent as a header, for what stands between the hub and the server. */
function declaresHeaders({ properties }: JsonSchema): boolean {
  if (!isJsonObject(properties)) return false;
  return Object.values(properties).some(
    (schema) =>
      isJsonObject(schema) && (schema["x-mcp-header"] !== undefined || declaresHeaders(schema)),
  );
}
