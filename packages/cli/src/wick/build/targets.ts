/** The platforms that plugins are built for, as Go's `<os>/<arch>`, with Bun's names. */
const bunTargets = {
  "linux/amd64": "bun-linux-x64-baseline",
  "linux/arm64": "bun-linux-arm64",
  "darwin/amd64": "bun-darwin-x64",
  "darwin/arm64": "bun-darwin-arm64",
  "windows/amd64": "bun-windows-x64",
  "windows/arm64": "bun-windows-arm64",
} as const;

export type Target = keyof typeof bunTargets;
export type BunTarget = (typeof bunTargets)[Target];

// Object.keys widens the keys of a record that has exactly these.
export const allTargets = Object.keys(bunTargets) as Target[];

export function isTarget(text: string): text is Target {
  return Object.hasOwn(bunTargets, text);
}

export function toBunTarget(target: Target): BunTarget {
  return bunTargets[target];
}
