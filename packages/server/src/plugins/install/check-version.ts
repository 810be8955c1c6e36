import { refusePlugin } from "../verify/refuse-plugin.ts";

/** Less than zero when `a` is older than `b`; null when the two cannot be compared. */
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

/** Names the attack: an old version with a known hole, rightly signed, put back in place. */
export function checkNotOlder({ key, installed, offered }: Change): void {
  const order = compareVersions(offered, installed);
  if (order !== null && order >= 0) return;
  throw refusePlugin({
    plugin: key,
    check: "version",
    expected: `version ${installed}, which is installed, or a later one`,
    found: offered,
    remedy: "--allow-downgrade installs it all the same.",
  });
}
