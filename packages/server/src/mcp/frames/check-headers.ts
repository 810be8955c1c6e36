import { HubError } from "../../errors.ts";
import type { Method } from "../capability.ts";
import type { Params, RequestFrame } from "./frame.ts";

/**
 * Checks that the headers that repeat parts of the body are equal to it. Otherwise a proxy that
 * filters by headers could allow one call while the hub runs another.
 */
export function findHeaderFault(
  { method }: RequestFrame,
  { nameParam }: Pick<Method, "nameParam"> = {},
  params: Params,
  headers: Headers,
): HubError | null {
  const methodFault = compare("Mcp-Method", headers.get("mcp-method"), method);
  if (methodFault !== null) return methodFault;
  const name = nameParam === undefined ? undefined : params[nameParam];
  if (typeof name !== "string") return null;
  return compare("Mcp-Name", decode(headers.get("mcp-name")), name);
}

function compare(header: string, given: string | null, expected: string): HubError | null {
  if (given === expected) return null;
  return new HubError(
    "header_mismatch",
    `The header ${header} is required and must match the body: "${expected.slice(0, 100)}".`,
  );
}

/** Decodes names outside ASCII, sent as `=?base64?…?=`. Null for invalid base64, which matches no name. */
function decode(value: string | null): string | null {
  const encoded = value?.match(/^=\?base64\?(.*)\?=$/)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString("utf8") : null;
}
