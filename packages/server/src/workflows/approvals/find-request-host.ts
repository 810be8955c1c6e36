import { findText } from "@hub/connector";

/** An address up to its path. */
const authorityPattern = /^https?:\/\/[^/?#\\]+[/?#\\]/i;
const hostPattern = /^[a-z0-9.:[\]_-]+$/;

/**
 * The host to which a request goes, with its port, such as `api.example.com:8443`. Null if it is not known before the
 * request is sent, or contains a secret. A template decides on the host unless the path begins before it.
 */
export function findRequestHost(url: string, isRendered: boolean): string | null {
  const at = isRendered ? -1 : findText(url, "{{");
  const known = at === -1 ? url : url.slice(0, at);
  if (at !== -1 && !authorityPattern.test(known)) return null;
  if (!URL.canParse(known)) return null;
  const { protocol, host } = new URL(known);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && hostPattern.test(host) ? host : null;
}
