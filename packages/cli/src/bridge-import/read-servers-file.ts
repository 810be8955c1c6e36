import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { toUsageError } from "../usage-error.ts";
import { isRecord, type Members } from "./records.ts";

/** Where the clients keep their servers, by name. */
const containers = ["mcpServers", "servers", "mcp_servers"];
const serversMax = 100;

export type ServerEntry = { name: string; entry: unknown };

/** The servers in a client's file: JSON, with comments, or TOML. */
export function readServersFile(file: string, text: string): ServerEntry[] {
  const values = parseText(file, text.replace(/^\uFEFF/, ""));
  const found = containers.map((name) => values[name]).find(isRecord);
  if (found === undefined) {
    const names = containers.map((name) => `"${name}"`).join(", ");
    throw toUsageError(`${file} has no list of MCP servers: none of ${names}.`);
  }
  const servers = Object.entries(found).map(([name, entry]) => ({ name, entry }));
  if (servers.length > serversMax) {
    throw toUsageError(`${file} has more than ${serversMax} servers. Import it in parts.`);
  }
  return servers;
}

/** Messages have no part of the text, because it may be a secret. */
function parseText(file: string, text: string): Members {
  const isToml = /\.toml$/i.test(file) || !/^\s*[{/]/.test(text);
  try {
    const values = isToml ? getStaticTOMLValue(parseTOML(text)) : parseJsonc(text);
    if (isRecord(values)) return values;
  } catch (thrown) {
    if (thrown instanceof RangeError) throw toUsageError(`${file} is nested too deeply.`);
    const at = Object(thrown);
    const line = typeof at.lineNumber === "number" ? ` (line ${at.lineNumber})` : "";
    throw toUsageError(`${file} is not valid ${isToml ? "TOML" : "JSON"}${line}.`);
  }
  throw toUsageError(`${file} is not an object.`);
}

function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const lineNumber = text.slice(0, first.offset).split("\n").length;
  throw Object.assign(new Error(printParseErrorCode(first.error)), { lineNumber });
}
