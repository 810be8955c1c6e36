import { isRefusedScheme } from "./refused-schemes.ts";

/**
 * Where a client receives its codes: a site, a program on the user's computer, or an installed app.
 */
export type RedirectTarget =
  | { kind: "site"; host: string }
  | { kind: "computer"; host: string }
  | { kind: "app"; scheme: string };

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);
const redirectUriLengthMax = 2000;

/**
 * The target of a redirect URI; null for a URI that no client may use. An app should take a scheme with a
 * dot (RFC 8252, 7.1). Most take one word, such as `cursor` or `vscode`, so the schemes that browsers and
 * systems interpret are refused by name.
 */
export function findRedirectTarget(uri: string): RedirectTarget | null {
  // Different parsers read other characters differently.
  if (uri.length > redirectUriLengthMax || !/^[\x21-\x7e]+$/.test(uri) || /[\\#]/.test(uri)) {
    return null;
  }
  const url = URL.parse(uri);
  if (url === null || url.username !== "" || url.password !== "") return null;
  if (url.protocol === "https:") {
    return loopbackHosts.has(url.hostname)
      ? { kind: "computer", host: url.host }
      : { kind: "site", host: url.host };
  }
  if (url.protocol === "http:") {
    return loopbackHosts.has(url.hostname) ? { kind: "computer", host: url.host } : null;
  }
  const scheme = url.protocol.slice(0, -1);
  return isOwnScheme(scheme) ? { kind: "app", scheme } : null;
}

const dotted = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/;
/** Windows reads one letter as a drive. */
const oneWord = /^[a-z][a-z0-9+-]+$/;

function isOwnScheme(scheme: string): boolean {
  return dotted.test(scheme) || (oneWord.test(scheme) && !isRefusedScheme(scheme));
}
