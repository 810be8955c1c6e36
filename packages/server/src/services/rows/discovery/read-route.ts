import { parseJson } from "@hub/connector";
import { cutLine } from "../../../lib/text/cut-line.ts";

const pathCharsMax = 200;

/** The method and path of an API's operation, from its stored binding. Null for one of an MCP server. */
export function readRoute(binding: string): { method: string | null; path: string | null } {
  const { method, path } = Object(parseJson(binding));
  return {
    method: typeof method === "string" ? method : null,
    path: typeof path === "string" ? cutLine(path, pathCharsMax) : null,
  };
}
