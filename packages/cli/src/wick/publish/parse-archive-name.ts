export type ArchiveName = { file: string; key: string; version: string; target: string };

/** Parses `<key>-<version>-<os>-<arch>.zip`. Versions may have hyphens. Null for other names. */
export function parseArchiveName(file: string): ArchiveName | null {
  const match = /^([a-z0-9_]{1,64})-(.+)-([a-z0-9]+)-([a-z0-9]+)\.zip$/.exec(file);
  if (match === null) return null;
  const [, key = "", version = "", os = "", arch = ""] = match;
  try {
    Bun.semver.order(version, version);
  } catch {
    return null;
  }
  return { file, key, version, target: `${os}/${arch}` };
}
