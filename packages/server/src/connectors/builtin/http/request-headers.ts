import type { CallTools } from "@hub/connector";
import type { HttpConfig } from "./http-config-fields.ts";
import { refuseParam, refuseSetting } from "./refuse.ts";
import { type PairLimits, readPairs } from "./text-pairs.ts";

/** Headers of the connection. A call that sets them could smuggle a second request. */
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

/** With these headers, a GET could act as a DELETE, even if an admin has enabled only GET. */
const overrideHeaders = new Set([
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-method"],
  ...["x-original-method", "x-forwarded-method"],
]);

/** Some servers, and proxies before them, read the path from these, so the request would leave the base URL. */
const pathHeaders = new Set([
  ...["x-original-url", "x-original-uri", "x-original-path", "x-rewrite-url", "x-rewrite-uri"],
  ...["x-forwarded-prefix", "x-forwarded-uri", "x-forwarded-url", "x-forwarded-path"],
  ...["x-envoy-original-path", "x-replaced-path", "x-script-name", "x-http-url-override"],
]);

/** With these a caller could receive an echoed credential in parts that masking does not find. */
const partHeaders = new Set(["range", "if-range"]);

export const headerLimits: PairLimits = { pairsMax: 100, charsMax: 32 * 1024 };

/** The headers of the row and the call, and the row's authentication, which a call cannot replace. */
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
    // A refused name is in one of these lists, so the message quotes nothing else from the call.
    if (comparable === ownName) refuseHeader(comparable, "is set by the row; leave it out");
    if (connectionHeaders.has(comparable)) refuseHeader(comparable, "cannot be set");
    if (overrideHeaders.has(comparable)) {
      refuseHeader(comparable, "cannot be set; use the operation of that method");
    }
    if (pathHeaders.has(comparable)) {
      refuseHeader(comparable, "cannot be set; use path, which stays below the base URL");
    }
    if (partHeaders.has(comparable) && config.AuthMode !== "none") continue;
    const problem = findHeaderProblem(name, value);
    if (problem !== null) refuseParam("headers", problem);
    headers.set(name, value);
  }
  if (authentication !== null) {
    setSetting(headers, authentication.field, authentication.name, authentication.value);
  }
  return headers;
}

/**
 * A name as lenient servers read it: CGI gateways map `X_Http-Method` and `X-Http-Method` to the same
 * variable.
 */
function toComparable(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "-");
}

function refuseHeader(name: string, message: string): never {
  refuseParam(`headers.${name}`, message);
}

/** Whether calls cannot have a header of this name: the lists above say why. */
export function isRefusedHeader(name: string): boolean {
  const comparable = toComparable(name);
  return [connectionHeaders, overrideHeaders, pathHeaders, partHeaders].some((names) =>
    names.has(comparable),
  );
}

type Authentication = { field: string; name: string; value: string };

function findAuthentication(config: HttpConfig, mask: CallTools["mask"]): Authentication | null {
  switch (config.AuthMode) {
    case "none":
      return null;
    case "query":
      maskTrimmed(config.QueryValue, mask);
      return null;
    // The hub puts the access token of a sign-in in the place of the row's token.
    case "oauth":
    case "bearer": {
      const token = maskTrimmed(config.Token, mask);
      return { field: "token", name: "authorization", value: `Bearer ${token}` };
    }
    case "basic": {
      if (config.Username.includes(":")) refuseSetting("username", "contains a colon");
      const pair = `${config.Username}:${config.Password ?? ""}`;
      const credentials = Buffer.from(pair).toString("base64");
      // Masking the password alone would leave the encoded user name visible.
      if (config.Password) mask(credentials, { ofRow: true });
      return { field: "username", name: "authorization", value: `Basic ${credentials}` };
    }
    case "header": {
      const value = maskTrimmed(config.HeaderValue, mask);
      return { field: "header_value", name: config.HeaderName.trim(), value };
    }
  }
}

/** A secret may have been pasted with a line break, which is not sent. */
function maskTrimmed(secret: string, mask: CallTools["mask"]): string {
  const trimmed = secret.trim();
  if (trimmed !== secret) mask(trimmed, { ofRow: true });
  return trimmed;
}

function setSetting(headers: Headers, field: string, name: string, value: string): void {
  if (connectionHeaders.has(toComparable(name)))
    refuseSetting(field, `sets ${name}, which cannot be set`);
  if (findHeaderProblem(name, value) !== null) {
    refuseSetting(field, "has characters that are not allowed in an HTTP header");
  }
  headers.set(name, value);
}

/** What is wrong with a header, as the end of a sentence about headers; null if it is valid. */
export function findHeaderProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return "have a name that is not a valid header name";
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return "have a character that is not allowed in a header";
  return null;
}
