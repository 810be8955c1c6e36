import type { SourceKind } from "@hub/contract/secret-source-kinds.ts";

const charsMax = 500;
/**
 * ASCII without `%`, `\`, `?`, `#` and controls: a manager or a proxy before it may decode these once more, or see another
 * path in letters that look alike.
 */
const pathPattern = /^[\w.@+=:, -]+(?:\/[\w.@+=:, -]+)*$/;
/** Names of Google's secrets, and of Azure's. These have no folders. */
const namePatterns: Partial<Record<SourceKind, RegExp>> = {
  google: /^[\w-]+$/,
  azure: /^[\dA-Za-z-]+$/,
};
/** 1Password: a vault and an item in it. */
const partsOf: Partial<Record<SourceKind, number>> = { onepassword_connect: 2, onepassword: 2 };

/** What is wrong with the path of a secret, as the end of a sentence; null if it is right. */
export function findPathFault(kind: SourceKind, path: string): string | null {
  if (path.length > charsMax) return `must have at most ${charsMax} characters.`;
  if (!pathPattern.test(path)) {
    return "must be names with / between them, of letters, digits and _ . @ + = : , - only.";
  }
  const parts = path.split("/");
  if (parts.some((part) => /^\.+$/.test(part) || part.trim() !== part)) {
    return "must not have a part that is only dots, or that begins or ends with a space.";
  }
  const pattern = namePatterns[kind];
  if (pattern !== undefined && !pattern.test(path)) return "must be the name of a secret.";
  const count = partsOf[kind];
  if (count !== undefined && parts.length !== count) return "must be vault/item.";
  return null;
}

/** What is wrong with a prefix, as the end of a sentence; null if it is right. */
export function findPrefixFault(prefix: string): string | null {
  const rest = prefix.endsWith("*") ? prefix.slice(0, -1) : prefix;
  if (rest === "") return prefix === "*" ? null : "must not be empty. Write * for all secrets.";
  const folder = rest.endsWith("/") ? rest.slice(0, -1) : rest;
  return findPathFault("vault", folder) === null
    ? null
    : "must be the beginning of a path, such as apps/hub, or with * at its end, such as prod-*.";
}

/**
 * Whether a path is inside of one of the prefixes: `apps/hub` is this secret and those below it, `prod-*` all that begin
 * so. Letters are compared as they are.
 */
export function isInPrefixes(prefixes: readonly string[], path: string): boolean {
  return prefixes.some((prefix) => {
    if (prefix.endsWith("*")) return path.startsWith(prefix.slice(0, -1));
    const folder = prefix.endsWith("/") ? prefix : `${prefix}/`;
    return path === prefix || path.startsWith(folder);
  });
}
