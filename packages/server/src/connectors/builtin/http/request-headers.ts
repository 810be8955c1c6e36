import type { CallTools } from "@hub/connector";
import type { HttpConfig } from "./config-fields.ts";
import { type PairLimits, readPairs } from "./pairs.ts";
import { refuseParam, refuseSetting } from "./refuse.ts";

/** Belong to the connection; a call that sets them could make two requests out of one. */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** With these a get could delete, although an admin allowed get alone. */
const overrideHeaders = new Set(["x-http-method", "x-http-method-override", "x-method-override"]);

/** Some servers take the path from these, and the request would leave the base URL. */
const pathHeaders = new Set(["x-original-url", "x-rewrite-url"]);

/** With these a caller could have an echoed credential sent in parts that no mask finds. */
const partHeaders = new Set(["range", "if-range"]);

export const headerLimits: PairLimits = { pairsMax: 100, charsMax: 32 * 1024 };

/** The row's headers, the call's, and the row's authentication, which nothing replaces. */
export function toRequestHeaders(
  config: HttpConfig,
  given: unknown,
  mask: CallTools["mask"],
): Headers {
  const headers = new Headers();
  for (const { name, value } of config.DefaultHeaders ?? []) {
    if (name !== "") setSetting(headers, "default_headers", name, value);
  }
  const authentication = findAuthentication(config, mask);
  const ownName = authentication === null ? null : toComparable(authentication.name);
  for (const [name, value] of readPairs("headers", given, headerLimits)) {
    const comparable = toComparable(name);
    // A name that is refused is one of these lists, so naming it repeats nothing of the call.
    if (comparable === ownName) refuseHeader(comparable, "is set by the row; leave it out");
    if (connectionHeaders.has(comparable)) refuseHeader(comparable, "cannot be set");
    if (overrideHeaders.has(comparable)) {
      refuseHeader(comparable, "cannot be set; use the operation of that method");
    }
    if (pathHeaders.has(comparable)) {
      refuseHeader(comparable, "cannot be set; use path, which stays below the base URL");
    }
    if (partHeaders.has(comparable) && config.AuthMode !== "none") continue;
    const problem = findProblem(name, value);
    if (problem !== null) refuseParam("headers", problem);
    headers.set(name, value);
  }
  if (authentication !== null) {
    setSetting(headers, authentication.field, authentication.name, authentication.value);
  }
  return headers;
}

/**
 * A name as lenient servers read it: gateways write `X_Http-Method` and `X-Http-Method` into the
 * same variable.
 */
function toComparable(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "-");
}

function refuseHeader(name: string, message: string): never {
  refuseParam(`headers.${name}`, message);
}

type Authentication = { field: string; name: string; value: string };

function findAuthentication(config: HttpConfig, mask: CallTools["mask"]): Authentication | null {
  switch (config.AuthMode) {
    case "none":
      return null;
    case "query":
      maskTrimmed(config.QueryValue, mask);
      return null;
    case "bearer": {
      const token = maskTrimmed(config.Token, mask);
      return { field: "token", name: "authorization", value: `Bearer ${token}` };
    }
    case "basic": {
      if (config.Username.includes(":")) refuseSetting("username", "holds a colon");
      const pair = `${config.Username}:${config.Password ?? ""}`;
      const credentials = Buffer.from(pair).toString("base64");
      // An echo of the whole header would otherwise keep the user name's end of the encoding.
      if (config.Password) mask(credentials, { ofRow: true });
      return { field: "username", name: "authorization", value: `Basic ${credentials}` };
    }
    case "header": {
      const value = maskTrimmed(config.HeaderValue, mask);
      return { field: "header_value", name: config.HeaderName.trim(), value };
    }
  }
}

/** A secret pasted with a line break is stored with it and sent, and echoed, without. */
function maskTrimmed(secret: string, mask: CallTools["mask"]): string {
  const trimmed = secret.trim();
  if (trimmed !== secret) mask(trimmed, { ofRow: true });
  return trimmed;
}

function setSetting(headers: Headers, field: string, name: string, value: string): void {
  if (connectionHeaders.has(toComparable(name)))
    refuseSetting(field, `sets ${name}, which cannot be set`);
  if (findProblem(name, value) !== null) {
    refuseSetting(field, "holds what cannot stand in an HTTP header");
  }
  headers.set(name, value);
}

function findProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "hold a name that no header has";
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return "hold a character that no header can carry";
  return null;
}
