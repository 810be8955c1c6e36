import { type DiscoveredOperation, type JsonSchema, UpstreamError } from "@hub/connector";
import type { Tool } from "@modelcontextprotocol/client";
import { yieldToEventLoop } from "../../lib/yield-to-event-loop.ts";
import type { McpSession, RequestContext } from "./open-session.ts";

const toolsMax = 3000;
const pagesMax = 300;
const listCharsMax = 32 * 1024 * 1024;

/** All pages of `tools/list`. */
export async function discoverTools(
  session: McpSession,
  ctx: RequestContext,
): Promise<DiscoveredOperation[]> {
  const operations: DiscoveredOperation[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let chars = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await session.request(ctx, (options) =>
      session.client.request({ method: "tools/list", params }, options),
    );
    chars += JSON.stringify(tools).length;
    if (operations.length + tools.length > toolsMax) refuse(`more than ${toolsMax} tools`);
    if (chars > listCharsMax) refuse(`a list of tools of more than ${listCharsMax} characters`);
    for (const tool of tools) operations.push(toOperation(tool));
    if (nextCursor === undefined || nextCursor === "") return operations;
    if (cursors.has(nextCursor)) refuse("a list of tools that repeats a page");
    cursors.add(nextCursor);
    cursor = nextCursor;
    await yieldToEventLoop();
  }
  return refuse(`a list of tools of more than ${pagesMax} pages`);
}

function refuse(what: string): never {
  throw new UpstreamError(
    `The MCP server has ${what}, so its tools were not read. Ask the server's author.`,
  );
}

/** Hints of a server count only in the cautious direction until an admin approves the operation. */
function toOperation(tool: Tool): DiscoveredOperation {
  const { name, description = "", inputSchema, outputSchema, annotations = {} } = tool;
  const title = tool.title ?? annotations.title;
  return {
    sourceName: name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: inputSchema as JsonSchema,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonSchema }),
    destructive: annotations.readOnlyHint !== true,
    idempotent: annotations.idempotentHint === true,
  };
}
