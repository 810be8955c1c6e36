import { listMethods, type WebhookTrigger } from "./find-webhook-trigger.ts";

type CorsRules = Pick<WebhookTrigger, "allow_origins">;

/** How long a browser need not ask again, in seconds. */
const preflightS = 600;
const requestedCharsMax = 1024;

/** The method of the request for which a browser asks by a preflight; null if the request is no preflight. */
export function findPreflightMethod(request: {
  method: string;
  headers: Pick<Headers, "get">;
}): string | null {
  if (request.method !== "OPTIONS" || request.headers.get("origin") === null) return null;
  return request.headers.get("access-control-request-method");
}

/** Whether pages of the origin that sent the request may read its answer. */
export function isOriginAllowed(
  { allow_origins: allowed }: CorsRules,
  headers: Pick<Headers, "get">,
): boolean {
  const origin = headers.get("origin");
  if (allowed === undefined || origin === null) return false;
  return allowed === "*" || allowed.some((one) => normalizeOrigin(one) === origin.toLowerCase());
}

/**
 * The headers of every answer of a trigger that allows origins. Cookies and credentials of the browser are never
 * allowed.
 */
export function toCorsHeaders(
  trigger: CorsRules,
  headers: Pick<Headers, "get">,
): Record<string, string> {
  const { allow_origins: allowed } = trigger;
  if (allowed === undefined) return {};
  if (!isOriginAllowed(trigger, headers)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": allowed === "*" ? "*" : (headers.get("origin") ?? ""),
    "access-control-expose-headers": "*",
  };
}

/** What the answer of a preflight has beside them. Every header may be sent that the browser asks for. */
export function toPreflightHeaders(
  trigger: WebhookTrigger,
  headers: Pick<Headers, "get">,
): Record<string, string> {
  const requested = headers.get("access-control-request-headers") ?? "";
  const isList = /^[\w!#$%&'*+.^`|~, -]+$/.test(requested) && requested.length <= requestedCharsMax;
  return {
    "access-control-allow-methods": listMethods(trigger).join(", "),
    "access-control-allow-headers": isList ? requested : "*",
    "access-control-max-age": `${preflightS}`,
    vary: "Access-Control-Request-Headers",
  };
}

/** Browsers send an origin in lower case, with an encoded host and without the port of its scheme. */
function normalizeOrigin(text: string): string {
  const url = /^https?:/i.test(text) ? URL.parse(text) : null;
  return (url?.origin ?? text).toLowerCase();
}
