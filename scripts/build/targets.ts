/** The platforms of `npm run build`, with the compiler's names. */
export const targets = {
  "linux-x64": "bun-linux-x64-baseline",
  "linux-x64-musl": "bun-linux-x64-musl-baseline",
  "linux-arm64": "bun-linux-arm64",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "darwin-x64": "bun-darwin-x64",
  "darwin-arm64": "bun-darwin-arm64",
  "windows-x64": "bun-windows-x64-baseline",
} as const;

export type BuildTarget = keyof typeof targets;

// Object.keys widens the keys of a record that has exactly these.
export const allTargets = Object.keys(targets) as BuildTarget[];

/** The platforms for which there are packages for Debian, with its names of their processors. */
export const debArchitectures: { [target in BuildTarget]?: "amd64" | "arm64" } = {
  "linux-x64": "amd64",
  "linux-arm64": "arm64",
};

export function isBuildTarget(text: string): text is BuildTarget {
  return Object.hasOwn(targets, text);
}
