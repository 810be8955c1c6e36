import { OutboundError } from "./outbound-error.ts";

/** A request that can be sent again to another destination, because its body is in memory. */
export type OutboundRequest = {
  url: URL;
  method: string;
  headers: Headers;
  body: Uint8Array | null;
  redirect: "follow" | "manual" | "error";
  /** The URL below which redirects get the request's credentials; null for the whole origin. */
  scope: URL | null;
};

/** Options of `fetch` in addition to the standard ones. */
export type FetchInit = RequestInit & {
  /**
   * Redirects to a path outside this URL get no credentials, like redirects to another host.
   * Without it, all paths of the same origin get them.
   */
  credentialsBelow?: URL;
};

/**
 * The connection sets these headers. As in the Fetch standard, values of the caller are ignored.
 */
const connectionHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "proxy-authorization",
  "proxy-connection",
];

/**
 * Parses the arguments of `fetch`. Options that only Bun has (`tls`, `unix`, `proxy`) are ignored.
 */
export async function toOutboundRequest(
  input: string | URL | Request,
  init: FetchInit,
): Promise<OutboundRequest> {
  const given = input instanceof Request ? input : null;
  const url = parseUrl(given === null ? String(input) : given.url);
  const { method, headers, body } = await readParts(given, url, init);
  if (["CONNECT", "TRACE", "TRACK"].includes(method.toUpperCase())) {
    throw new OutboundError("blocked", `The method ${method} cannot be used.`);
  }
  if (body !== null && isBodiless(method)) throw refuseBody(method);
  const sent = new Headers(headers);
  for (const name of connectionHeaders) sent.delete(name);
  addDefault(sent, "accept", "*/*");
  addDefault(sent, "accept-encoding", "gzip, br");
  addDefault(sent, "user-agent", "hub");
  if (typeof init.body === "string") addDefault(sent, "content-type", "text/plain;charset=UTF-8");
  if (init.body instanceof URLSearchParams) {
    addDefault(sent, "content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  }
  return {
    url,
    method,
    headers: sent,
    body,
    redirect: init.redirect ?? given?.redirect ?? "follow",
    scope: init.credentialsBelow ?? null,
  };
}

type Parts = { method: string; headers: FetchInit["headers"]; body: Uint8Array | null };

async function readParts(given: Request | null, url: URL, init: FetchInit): Promise<Parts> {
  const { method, headers, body } = init;
  // Most calls. A Request would copy the headers, make a stream of the text, and read that.
  if (given === null && typeof body === "string" && (method === "POST" || method === "PUT")) {
    return { method, headers, body: Buffer.from(body) };
  }
  const changes: RequestInit = {
    ...(method !== undefined && { method }),
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
  };
  const request = given === null ? new Request(url.href, changes) : new Request(given, changes);
  const content = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const isEmpty = content?.byteLength === 0 && isBodiless(request.method);
  return { method: request.method, headers: request.headers, body: isEmpty ? null : content };
}

const isBodiless = (method: string) => method === "GET" || method === "HEAD";

/** As in the Fetch standard. Some servers ignore such a body, and would take it for the next request. */
function refuseBody(method: string): OutboundError {
  return new OutboundError(
    "blocked",
    `A ${method} request has no body. Send the values in the query, or use another method.`,
  );
}

function parseUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  // The text itself is not repeated: it may hold a credential.
  throw new OutboundError(
    "bad_url",
    "The address to call is not valid; it must look like https://host/path.",
  );
}

function addDefault(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}
