import { HubError } from "../errors.ts";
import type { Params, RequestFrame } from "./frame.ts";

/**
 * The headers that repeat parts of the body must agree with it: otherwise a proxy that routes or
 * limits by headers lets one call pass and the hub runs another.
 */
export function findHeaderFault(
  { method }: RequestFrame,
  params: Params,
  headers: Headers,
): HubError | null {
  const methodFault = compare("Mcp-Method", headers.get("mcp-method"), method);
  if (methodFault !== null) return methodFault;
  if (method !== "tools/call" || typeof params.name !== "string") return null;
  return compare("Mcp-Name", decode(headers.get("mcp-name")), params.name);
}

function compare(header: string, given: string | null, expected: string): HubError | null {
  if (given === expected) return null;
  return new HubError(
    "header_mismatch",
    `The header ${header} must be there and say what the body says: "${expected.slice(0, 100)}".`,
  );
}

/** Names outside plain ASCII travel as `=?base64?…?=`. What is no base64 equals no name. */
function decode(value: string | null): string | null {
  const encoded = value?.match(/^=\?base64\?(.*)\?=$/)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString("utf8") : null;
}
