import { OutboundError } from "./outbound-error.ts";
import type { OutboundRequest } from "./outbound-request.ts";
import { isBelow } from "./path-below.ts";

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Headers that are sent to another origin or outside the scope. None of them can contain a
 * credential.
 */
const safeHeaders = new Set(["accept", "accept-encoding", "accept-language", "user-agent"]);
const bodyHeaders = ["content-encoding", "content-language", "content-location", "content-type"];

export type Redirect = { status: number; location: string };

/** The destination of a redirect; null if the answer is final. */
export function findRedirect(
  request: OutboundRequest,
  answer: { status: number; location: string | undefined },
): Redirect | null {
  const { status, location } = answer;
  if (request.redirect === "manual" || location === undefined) return null;
  return redirectStatuses.has(status) ? { status, location } : null;
}

/** The request for a redirect. The guard must check it like every other request. */
export function followRedirect(request: OutboundRequest, redirect: Redirect): OutboundRequest {
  const from = request.url;
  if (request.redirect === "error") {
    throw new OutboundError(
      "too_many_redirects",
      `${from.host} redirects to another address, and this call does not follow redirects.`,
    );
  }
  if (!URL.canParse(redirect.location, from.href)) {
    throw new OutboundError("bad_url", `${from.host} redirects to an address that is not valid.`);
  }
  const url = new URL(redirect.location, from);
  const next = { ...request, url, headers: new Headers(request.headers) };
  if (becomesGet(request.method, redirect.status)) dropBody(next);
  const isInScope = request.scope === null || isBelow(url, request.scope);
  if (url.origin === from.origin && isInScope) return next;
  checkDowngrade(next, from);
  checkBodyStays(next, from);
  keepSafeHeaders(next);
  return next;
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function dropBody(request: OutboundRequest): void {
  request.method = "GET";
  request.body = null;
  for (const name of bodyHeaders) request.headers.delete(name);
}

/** Attack: after a redirect to http://, the next request would be sent unencrypted. */
function checkDowngrade(next: OutboundRequest, from: URL): void {
  if (from.protocol !== "https:" || next.url.protocol !== "http:") return;
  const isPlain = [...next.headers.keys()].every((name) => safeHeaders.has(name));
  if (isPlain && next.body === null) return;
  throw new OutboundError(
    "blocked",
    `${from.host} redirects from https to http, and this call has a credential or a body that must not be sent unencrypted. An admin can correct the address in the row.`,
  );
}

/** Attack: an open redirect would send a body, which can contain secrets, to any address. */
function checkBodyStays(next: OutboundRequest, from: URL): void {
  if (next.body === null) return;
  const place =
    next.url.origin === from.origin
      ? `${next.url.pathname} on the same host, which is not below the row's address`
      : `another host, ${next.url.host}`;
  throw new OutboundError(
    "blocked",
    `${from.host} redirects a request with a body to ${place}, so it was not sent there. An admin can set that address in the row.`,
  );
}

function keepSafeHeaders(request: OutboundRequest): void {
  for (const name of [...request.headers.keys()]) {
    if (!safeHeaders.has(name)) request.headers.delete(name);
  }
}
