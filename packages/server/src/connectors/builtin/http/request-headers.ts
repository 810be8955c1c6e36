import type { HttpConfig } from "./config-fields.ts";
import { readPairs } from "./pairs.ts";
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

/** The row's headers, the call's, and the row's authentication, which nothing replaces. */
export function toRequestHeaders(
  config: HttpConfig,
  given: unknown,
  mask: (value: string) => void,
): Headers {
  const headers = new Headers();
  for (const { name, value } of config.DefaultHeaders ?? []) {
    if (name !== "") setSetting(headers, "default_headers", name, value);
  }
  const authentication = findAuthentication(config, mask);
  const ownName = authentication?.name.toLowerCase();
  for (const [name, value] of readPairs("headers", given)) {
    const lower = name.toLowerCase();
    const path = `headers.${name}`;
    if (lower === ownName) refuseParam(path, "is set by the row; leave it out");
    if (connectionHeaders.has(lower)) refuseParam(path, "cannot be set");
    if (overrideHeaders.has(lower)) {
      refuseParam(path, "cannot be set; use the operation of that method");
    }
    const problem = findProblem(name, value);
    if (problem !== null) refuseParam(path, problem);
    headers.set(name, value);
  }
  if (authentication !== null) {
    setSetting(headers, authentication.field, authentication.name, authentication.value);
  }
  return headers;
}

type Authentication = { field: string; name: string; value: string };

function findAuthentication(
  config: HttpConfig,
  mask: (value: string) => void,
): Authentication | null {
  switch (config.AuthMode) {
    case "none":
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
      if (config.Password) mask(credentials);
      return { field: "username", name: "authorization", value: `Basic ${credentials}` };
    }
    case "header": {
      const value = maskTrimmed(config.HeaderValue, mask);
      return { field: "header_value", name: config.HeaderName.trim(), value };
    }
  }
}

/** A secret pasted with a line break is stored with it and sent, and echoed, without. */
function maskTrimmed(secret: string, mask: (value: string) => void): string {
  const trimmed = secret.trim();
  if (trimmed !== secret) mask(trimmed);
  return trimmed;
}

function setSetting(headers: Headers, field: string, name: string, value: string): void {
  if (connectionHeaders.has(name.toLowerCase()))
    refuseSetting(field, `sets ${name}, which cannot be set`);
  if (findProblem(name, value) !== null) {
    refuseSetting(field, "holds what cannot stand in an HTTP header");
  }
  headers.set(name, value);
}

function findProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "is no name of a header";
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) {
      return "holds a character that no header can carry";
    }
  }
  return null;
}
