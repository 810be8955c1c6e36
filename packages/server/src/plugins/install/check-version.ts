import { refusePlugin } from "../verify/refuse-plugin.ts";

/** Negative if `a` is older than `b`; null if they cannot be compared. */
function compareVersions(a: string, b: string): number | null {
  try {
    return Bun.semver.order(a, b);
  } catch {
    return a === b ? 0 : null;
  }
}

export function isNewerVersion(a: string, b: string): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}

type Change = { key: string; installed: string; offered: string };

/** Attack: a correctly signed old version with a known vulnerability is installed again. */
export function checkNotOlder({ key, installed, offered }: Change): void {
  const order = compareVersions(offered, installed);
  if (order !== null && order >= 0) return;
  throw refusePlugin({
    plugin: key,
    check: "version",
    expected: `version ${installed}, which is installed, or a later one`,
    found: offered,
    remedy: "To install it anyway, add --allow-downgrade.",
  });
}
