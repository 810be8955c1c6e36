import { UpstreamError } from "@hub/connector";

type Kind = { field: string; separator: ":" | "="; name: RegExp };

const named: Kind = { field: "Secrets", separator: "=", name: /^[A-Za-z_][A-Za-z0-9_]*$/ };
const headers: Kind = { field: "Headers", separator: ":", name: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/ };
const variables: Kind = { field: "Env", separator: "=", name: /^[A-Za-z_][A-Za-z0-9_]*$/ };

/** The transport sets these headers. */
const reservedHeader =
  /^(accept|connection|content-.*|host|last-event-id|mcp-.*|transfer-encoding|x-hub-call)$/i;

/** The headers in a row's field. Throws if the text is invalid. */
export function readHeaders(text: string | undefined): [string, string][] {
  const pairs = readPairs(headers, text);
  const reserved = pairs.find(([name]) => reservedHeader.test(name));
  if (reserved !== undefined) {
    throw new UpstreamError(
      `The hub sets the header ${reserved[0]} itself. An admin can remove it from Headers.`,
    );
  }
  return pairs;
}

/** The environment variables in a row's field. Throws if the text is invalid. */
export function readVariables(text: string | undefined): [string, string][] {
  return readPairs(variables, text);
}

/** The secrets that other fields name. Throws if the text is invalid. */
export function readNamedValues(text: string | undefined): [string, string][] {
  return readPairs(named, text);
}

/** Messages do not repeat the text, because it is secret. */
function readPairs({ field, separator, name }: Kind, text = ""): [string, string][] {
  const trimmed = text.trim();
  const pairs = trimmed.startsWith("{")
    ? readObject(field, trimmed)
    : trimmed
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((line) => splitLine(field, separator, line));
  for (const [key, value] of pairs) {
    if (!name.test(key)) refuse(field, "has an invalid name");
    if (hasControl(value)) refuse(field, "has a value with a control character");
  }
  return pairs;
}

function readObject(field: string, text: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(field, "is not valid JSON");
  }
  return Object.entries(value ?? {}).map(([name, member]) =>
    typeof member === "string" ? [name, member] : refuse(field, "has a value that is not a text"),
  );
}

function splitLine(field: string, separator: string, line: string): [string, string] {
  const at = line.indexOf(separator);
  if (at < 1) return refuse(field, `has a line without "${separator}"`);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end a header or a variable.
  return /[\u0000-\u0008\u000a-\u001f\u007f]/.test(text);
}

function refuse(field: string, fault: string): never {
  throw new UpstreamError(`The row's field ${field} ${fault}. An admin can correct it.`);
}
