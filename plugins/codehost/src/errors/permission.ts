/** The missing sign-on, permission or scope that the host names; null if it names none. */
export function findMissingPermission(headers: Headers): string | null {
  return findSignOn(headers) ?? findPermissions(headers) ?? findScopes(headers);
}

/** `required; url=https://…`: the token is valid, but its owner must approve it for the organization. */
function findSignOn(headers: Headers): string | null {
  const header = headers.get("x-github-sso");
  if (header === null || !header.startsWith("required")) return null;
  const url = /url=(\S+)/.exec(header)?.[1];
  const where = url === undefined ? "" : `: its owner opens ${url}`;
  return `The organization requires single sign-on, and the token is not authorized for it yet${where}.`;
}

/** Fine-grained tokens: `issues=write,metadata=read; pull_requests=write`. One group is enough. */
function findPermissions(headers: Headers): string | null {
  const header = headers.get("x-accepted-github-permissions") ?? "";
  const groups = splitNames(header, ";").map((group) =>
    splitNames(group, ",")
      .map((permission) => permission.replace("=", ": "))
      .join(" with "),
  );
  if (groups.length === 0) return null;
  return `A fine-grained token needs the permission ${groups.join(", or ")}. Ask an admin for a token that has it.`;
}

/** Classic tokens: the accepted scopes of the call and the scopes of the token. */
function findScopes(headers: Headers): string | null {
  const accepted = splitNames(headers.get("x-accepted-oauth-scopes") ?? "", ",");
  const held = headers.get("x-oauth-scopes");
  if (accepted.length === 0 || held === null) return null;
  const scopes = splitNames(held, ",");
  if (accepted.some((scope) => scopes.includes(scope))) return null;
  const has = scopes.length === 0 ? "no scope" : scopes.join(", ");
  return `The token lacks a scope. This operation needs ${accepted.join(" or ")}, and the token has ${has}. Ask an admin for a token that has it.`;
}

function splitNames(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
