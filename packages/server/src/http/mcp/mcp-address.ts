import type { CallScope } from "../../caller.ts";

export const mcpPath = "/mcp";

/** The meaning of an address at which MCP is served. */
export type McpAddress = {
  /** The scope of its callers; null is everything that they may use. */
  scope: CallScope | null;
};

const everything: McpAddress = { scope: null };

/**
 * Reads a URL, as `Request` writes it. Null if MCP is not served there. Some clients end the address with a slash.
 */
export function findMcpAddress(url: string): McpAddress | null {
  const pathStart = url.indexOf("/", "https://".length);
  if (!url.startsWith(mcpPath, pathStart)) return null;
  const end = pathStart + mcpPath.length;
  const next = url[end] === "/" ? url[end + 1] : url[end];
  return next === undefined || next === "?" || next === "#" ? everything : null;
}
