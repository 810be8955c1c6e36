/**
 * What a workflow may set in the answer of a webhook. Everything else could act on the hub's own origin, on a proxy before the
 * hub or on the connection, or would weaken the protection of these answers.
 */
const allowedNames: ReadonlySet<string> = new Set([
  ...["content-type", "content-language", "content-disposition", "content-range", "content-digest"],
  ...["repr-digest", "digest", "accept-ranges", "accept-patch", "accept-post", "allow"],
  ...["cache-control", "cdn-cache-control", "expires", "pragma", "age", "vary"],
  ...[
    "etag",
    "last-modified",
    "retry-after",
    "link",
    "location",
    "deprecation",
    "sunset",
    "warning",
  ],
  ...["ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ...["server-timing", "signature", "signature-input"],
]);

/** Beginnings of names that proxies act on: they send a file or another answer instead, or rewrite the address. */
const proxyNames = [
  ...["x-accel-", "x-sendfile", "x-lighttpd-", "x-litespeed-", "x-reproxy-", "x-appengine-"],
  ...["x-forwarded-", "x-original-", "x-rewrite-", "x-envoy-"],
];

/** Those that the hub sets itself, and what browsers act on. */
const ownNames = ["x-hub-", "x-request-id", "x-content-type-options", "x-frame-options"];

export function isAnswerHeader(name: string): boolean {
  const lower = name.toLowerCase();
  if (allowedNames.has(lower)) return true;
  return (
    lower.startsWith("x-") && ![...proxyNames, ...ownNames].some((own) => lower.startsWith(own))
  );
}

export const answerHeadersMax = 100;
export const answerHeaderCharsMax = 8192;

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name);
}

/** Line breaks would add headers of their own, and other control characters and those beyond Latin-1 cannot be sent. */
export function isHeaderValue(text: string): boolean {
  return text.length <= answerHeaderCharsMax && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** The hosts, with their ports, of the addresses that stand in a template. */
export function listNamedHosts(template: string): string[] {
  const found = template.matchAll(/https?:\/\/([^\s/?#@\\"'{}<>]+)(?=[\s/?#\\"'{}<>]|$)/gi);
  return [...found].flatMap(([address]) => URL.parse(address)?.host ?? []);
}

/** The address of a redirect; null if it is not complete, or if its host does not stand in the template that gave it. */
export function readRedirect(text: string, template: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return listNamedHosts(template).includes(url.host) ? url.href : null;
}
