import { SetupError } from "./setup-error.ts";

/** The address that every request begins with, without a slash at its end. */
export function toBaseUrl(saved: string | undefined): string {
  const text = saved?.trim() ?? "";
  if (text === "") return refuse("is not set");
  if (!URL.canParse(text)) return refuse("is not a valid address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse("must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("holds a user name or password; they go into their own fields");
  }
  // A path would be put in front of the host's own and lead to other addresses than the known ones.
  if (url.pathname !== "/" || /[?#]/.test(text)) {
    return refuse(`must be scheme and host only, such as ${url.origin}`);
  }
  return url.origin;
}

function refuse(problem: string): never {
  throw new SetupError(`base_url ${problem}`);
}
