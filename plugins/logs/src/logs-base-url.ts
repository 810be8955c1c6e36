import { SetupError } from "./setup-error.ts";

/** The base URL of every request, without a slash at the end. */
export function toBaseUrl(saved: string | undefined): string {
  const text = saved?.trim() ?? "";
  if (text === "") return refuse("is not set");
  if (!URL.canParse(text)) return refuse("is not a valid address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse("must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("contains a user name or password. Set them in their own fields");
  }
  // A path would precede the host's paths, so requests would go to unknown addresses.
  if (url.pathname !== "/" || /[?#]/.test(text)) {
    return refuse(`must be scheme and host only, such as ${url.origin}`);
  }
  return url.origin;
}

function refuse(problem: string): never {
  throw new SetupError(`base_url ${problem}`);
}
