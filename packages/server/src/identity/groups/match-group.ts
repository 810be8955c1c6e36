/** What a line says of a group's name: the whole name, or a pattern in which `*` stands for any characters. */
export type GroupPattern = { pattern: string; isPattern: boolean };

/**
 * What the only `*` of a pattern stands for in a name; "" for an exact name and for several stars. Null if
 * the name does not match. Its time is linear in the name for each star: each part is searched for once, from
 * where the part before it ended.
 */
export function matchGroup({ pattern, isPattern }: GroupPattern, name: string): string | null {
  if (!isPattern) return pattern === name ? "" : null;
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === name ? "" : null;
  if (!name.startsWith(first)) return null;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1) return null;
    at = found + part.length;
  }
  const end = name.length - last.length;
  if (end < at || !name.endsWith(last)) return null;
  return others.length === 0 ? name.slice(at, end) : "";
}
