const publicHost = "https://api.github.com";

/** The row's configuration is invalid. */
export class SetupError extends Error {
  override readonly name = "SetupError";

  constructor(problem: string) {
    super(
      `This row's configuration is invalid: ${problem}. An admin can correct it in the settings of the row.`,
    );
  }
}

/**
 * The base URL of every request, without a slash at the end. A query, a fragment or credentials in it are
 * refused, because they would be in the middle of other addresses.
 */
export function toBaseUrl(saved: string | undefined): string {
  const text = saved?.trim() || publicHost;
  if (!URL.canParse(text)) return refuse("is not a valid address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("must begin with https");
  if (url.username !== "" || url.password !== "") {
    return refuse("contains a user name or password; set the token in its own field");
  }
  if (/[?#]/.test(text)) return refuse('must not contain "?" or "#"');
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function refuse(problem: string): never {
  throw new SetupError(`base_url ${problem}`);
}
