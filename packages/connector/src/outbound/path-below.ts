/** Some servers decode once or twice more than they check. More rounds indicate an attack. */
const roundsMax = 5;

/**
 * Whether a URL is at or below another one, for every way in which its server may read the path.
 */
export function isBelow(url: URL, base: URL): boolean {
  if (url.origin !== base.origin) return false;
  const root = base.pathname.replace(/\/+$/, "");
  if (url.pathname !== base.pathname && !url.pathname.startsWith(`${root}/`)) return false;
  const decoded = decodePath(url.pathname);
  return decoded !== null && !holdsDotSegment(decoded);
}

/**
 * Decodes a path's percent-encoded ASCII repeatedly until nothing changes, because some servers
 * decode more often than they check. Null if there are too many rounds.
 */
export function decodePath(path: string): string | null {
  let decoded = path;
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, toCharacter);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return null;
}

/** Whether a decoded path has a segment that leads upwards. */
export function holdsDotSegment(path: string): boolean {
  return path.split(/[/\\]/).some(isDotSegment);
}

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/**
 * `..;x` counts too: servers that know path parameters remove them before they resolve the path. So do `..?x` and `..#x`,
 * which a proxy may send on decoded, and what a NUL follows, at which some servers end a text.
 */
function isDotSegment(segment: string): boolean {
  const name = segment.split(/[;?#\0]/)[0]?.trim();
  return name === "." || name === "..";
}
