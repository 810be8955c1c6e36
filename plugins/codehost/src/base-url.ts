const publicHost = "https://api.github.com";

/** The row holds what no request can be made with. */
export class SetupError extends Error {
  override readonly name = "SetupError";

  constructor(problem: string) {
    super(`This row's configuration is invalid: ${problem}. Ask an admin to correct it.`);
  }
}

/**
 * The address that every request begins with, without a slash at its end. A query, a fragment or
 * credentials in it would end up in the middle of other addresses, so they are refused.
 */
export function toBaseUrl(saved: string | undefined): string {
  const text = saved?.trim() || publicHost;
  if (!URL.canParse(text)) return refuse("is not a valid address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("must begin with https");
  if (url.username !== "" || url.password !== "") {
    return refuse("contains a user name or password; set the token in its own field");
  }
  if (/[?#]/.test(text)) return refuse('must hold neither "?" nor "#"');
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function refuse(problem: string): never {
  throw new SetupError(`base_url ${problem}`);
}
