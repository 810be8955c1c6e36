import { suggest } from "@hub/connector";
import { mcpPath } from "../mcp/mcp-address.ts";

/** Longer paths are no typing errors of these. */
const pathCharsMax = 40;

const paths = [mcpPath, "/health", "/ready", "/metrics", "/auth/login", "/profile"];

/** Other servers have MCP at such addresses. */
const mcpOfOthers =
  /^\/(?:(?:v\d+|api|hub|servers?|message|messages|sse|rpc)\/)?(?:mcp|sse|messages?|rpc)(?:\/(?:sse|messages?|v\d+|http|stream))?$/i;

/** Letters of so short a path that are swapped, missing or doubled. */
const mistypedMcp = /^\/(?:mpc|cmp|cpm|pmc|pcm|mcpp|mccp|mmcp|mc|mp|cp|mcps|mcp\d)$/i;

/** What is near a path that the hub does not have, as a sentence that follows another. */
export function findNearPath(path: string): string {
  const asked = path.slice(0, pathCharsMax + 1).replace(/\/+$/, "");
  if (asked.length > pathCharsMax) return "";
  if (mistypedMcp.test(asked) || mcpOfOthers.test(asked)) return ` MCP is at "${mcpPath}".`;
  return suggest(asked, paths);
}
