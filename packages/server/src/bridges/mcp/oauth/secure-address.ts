import { HubError } from "../../../errors.ts";

/**
 * An address of an authorization server. Throws if it is not https, or http on this machine: a browser
 * is sent there, or codes and tokens are.
 */
export function toSecureAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url.href;
  throw new HubError(
    "upstream_error",
    "An address of the authorization server is not https. Tokens are not sent there.",
  );
}
