import type { BackupReport } from "@hub/contract/backup.ts";

const words = {
  users: ["user", "users"],
  tokens: ["token", "tokens"],
  rows: ["row", "rows"],
  runs: ["recorded call", "recorded calls"],
  workflows: ["workflow", "workflows"],
  workflow_runs: ["workflow run", "workflow runs"],
} as const;

/** What a backup has, such as "2 users, 1 token". */
export function toCounts(counts: BackupReport["counts"]): string {
  const kinds = Object.keys(words) as Array<keyof typeof words>;
  return kinds
    .map((kind) => `${counts[kind]} ${words[kind][counts[kind] === 1 ? 0 : 1]}`)
    .join(", ");
}

export function toFileSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
