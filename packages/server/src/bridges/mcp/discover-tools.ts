import { type DiscoveredOperation, UpstreamError } from "@hub/connector";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { readTool } from "./read-tool.ts";
import { anyResult, findKept } from "./results/keep-results.ts";
import type { McpSession, RequestContext } from "./sessions/open-mcp-session.ts";

const toolsMax = 3000;
const pagesMax = 300;
const cursorCharsMax = 16 * 1024;
const listCharsMax = 32 * 1024 * 1024;

/** Tells of a tool that cannot be an operation, and why. */
type LeaveOut = (sourceName: string, reason: string) => void;

/** All pages of `tools/list`. Tools that cannot be used do not hide the others. */
export async function discoverTools(
  session: McpSession,
  ctx: RequestContext & { leaveOut: LeaveOut },
): Promise<DiscoveredOperation[]> {
  const operations: DiscoveredOperation[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let chars = 0;
  let count = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await session.request(ctx, async (options) =>
      findKept(await session.client.request({ method: "tools/list", params }, anyResult, options)),
    );
    if (!Array.isArray(tools)) return refuse("a list of tools that is not a list");
    chars += JSON.stringify(tools).length;
    if (count + tools.length > toolsMax) refuse(`more than ${toolsMax} tools`);
    if (chars > listCharsMax) refuse(`a list of tools of more than ${listCharsMax} characters`);
    for (const tool of tools) {
      count += 1;
      const read = readTool(tool, count);
      if ("reason" in read) ctx.leaveOut(read.sourceName, read.reason);
      else operations.push(read);
    }
    if (nextCursor === undefined || nextCursor === null || nextCursor === "") return operations;
    if (typeof nextCursor !== "string") return refuse("a list of tools whose cursor is not a text");
    // Each is kept, and sent back.
    if (nextCursor.length > cursorCharsMax) {
      refuse(`a list of tools with a cursor of more than ${cursorCharsMax} characters`);
    }
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
