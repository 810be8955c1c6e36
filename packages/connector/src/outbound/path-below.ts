/** Some servers decode once or twice more than they check. More rounds indicate an attack. */
const roundsMax = 5;

/** Whether an address lies at or below another, however its server reads the path. */
export function isBelow(url: URL, base: URL): boolean {
  if (url.origin !== base.origin) return false;
  const root = base.pathname.replace(/\/+$/, "");
  if (url.pathname !== base.pathname && !url.pathname.startsWith(`${root}/`)) return false;
  const decoded = decodePath(url.pathname);
  return decoded !== null && !holdsDotSegment(decoded);
}

/**
 * A path with its percent-codes of ASCII decoded until nothing changes: some servers decode once
 * more than they check. Null when that takes too many rounds.
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

/** Whether a decoded path has a segment that leads elsewhere. */
export function holdsDotSegment(path: string): boolean {
  return path.split(/[/\\]/).some(isDotSegment);
}

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** `..;x` counts: servers that know path parameters take them off before they walk up. */
function isDotSegment(segment: string): boolean {
  const name = segment.split(";")[0]?.trim();
  return name === "." || name === "..";
}
