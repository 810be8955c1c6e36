import type { ParseError } from "jsonc-parser";
import { HubError } from "../../../errors.ts";

/** An entry of a client's file. */
export type ServerEntry = {
  name: string;
  /** The folder for which the client keeps it; null if it is for all folders. */
  folder: string | null;
  entry: unknown;
};

/** Where clients keep their servers, by name. The entries of `mcp` are opencode's. */
const containers = ["mcpServers", "servers", "mcp_servers", "context_servers"] as const;
const serversMax = 100;

const mebibyte = 1024 * 1024;
/** Strict JSON is read fast. The other readers work on the event loop. */
const bytesMax = { json: 10 * mebibyte, jsonc: mebibyte, toml: mebibyte / 4 };

/**
 * The servers in the file of a client: JSON, with comments, or TOML. Throws `bad_request` with a
 * message that has no part of the text, because it may be a secret.
 */
export async function readServersFile(file: string, text: string): Promise<ServerEntry[]> {
  const values = await parseText(file, text.replace(/^\uFEFF/, ""));
  const found = findServers(values);
  if (found === null) {
    throw refuse(
      `${file} has no list of MCP servers: none of ${containers.map((name) => `"${name}"`).join(", ")}, "mcp" and "projects".`,
    );
  }
  if (found.length > serversMax) {
    throw refuse(`${file} has more than ${serversMax} servers. Import it in parts.`);
  }
  return found;
}

/** Null if the file has no list of servers. An entry that stands there twice is found once. */
function findServers(values: Members): ServerEntry[] | null {
  const found: ServerEntry[] = [];
  const seen = new Set<string>();
  let hasList = false;
  const add = (servers: Members, folder: string | null) => {
    hasList = true;
    for (const [name, entry] of Object.entries(servers)) {
      if (found.length > serversMax) return;
      const same = JSON.stringify([name, entry]);
      if (!seen.has(same)) found.push({ name, folder, entry });
      seen.add(same);
    }
  };
  for (const servers of listLists(values)) add(servers, null);
  // Claude Code keeps servers for a folder, too.
  if (isRecord(values.projects)) {
    for (const [folder, project] of Object.entries(values.projects)) {
      if (isRecord(project) && isRecord(project.mcpServers)) add(project.mcpServers, folder);
    }
  }
  return hasList ? found : null;
}

function listLists(values: Members): Members[] {
  const { mcp } = values;
  const lists: unknown[] = [...containers.map((name) => values[name]), values["mcp.servers"]];
  // VS Code has "servers" in it, and Gemini CLI has its own settings; in opencode it is the list.
  if (isRecord(mcp)) lists.push(isRecord(mcp.servers) ? mcp.servers : findEntries(mcp));
  return lists.filter(isRecord);
}

function findEntries(mcp: Members): Members | null {
  const entries = Object.entries(mcp).filter(([, entry]) => isRecord(entry));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

async function parseText(file: string, text: string): Promise<Members> {
  const isToml = /\.toml$/i.test(file) || !/^\s*[{/]/.test(text);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax.json) throw refuse(`${file} is larger than 10 MiB.`);
  const values = isToml
    ? await parseTomlText(file, text, bytes)
    : await parseJson(file, text, bytes);
  if (isRecord(values)) return values;
  throw refuse(`${file} is not an object.`);
}

async function parseJson(file: string, text: string, bytes: number): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // It may have comments.
  }
  if (bytes > bytesMax.jsonc) {
    throw refuse(`${file} is not valid JSON. With comments it may have at most 1 MiB.`);
  }
  const { parse } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return value;
  } catch {
    throw refuse(`${file} is nested too deeply.`);
  }
  const offset = errors[0]?.offset ?? 0;
  throw refuse(`${file} is not valid JSON (line ${text.slice(0, offset).split("\n").length}).`);
}

async function parseTomlText(file: string, text: string, bytes: number): Promise<unknown> {
  if (bytes > bytesMax.toml) {
    throw refuse(
      `${file} is larger than 256 KiB, which is too large for TOML. Import it in parts.`,
    );
  }
  const { getStaticTOMLValue, parseTOML } = await import("toml-eslint-parser");
  try {
    return getStaticTOMLValue(parseTOML(text));
  } catch (thrown) {
    if (thrown instanceof RangeError) throw refuse(`${file} is nested too deeply.`);
    const { lineNumber } = Object(thrown);
    const line = typeof lineNumber === "number" ? ` (line ${lineNumber})` : "";
    throw refuse(`${file} is not valid TOML${line}.`);
  }
}

function refuse(message: string): HubError {
  return new HubError("bad_request", message);
}

export type Members = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
