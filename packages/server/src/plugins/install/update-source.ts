import { describeInstallSource, isSameLocation } from "./install-source.ts";
import type { InstalledVersion } from "./installed-version.ts";

/**
 * Where a version came from, if there is one and it is not from the catalog at this place. Attack: the
 * catalog's plugin of the same name may be another author's, and would get the rows of this one.
 */
export function describeOtherSource(
  installed: InstalledVersion | null,
  catalog: string,
): string | null {
  if (installed === null) return null;
  const { source, isManual } = installed;
  // An older hub recorded no source. The catalog is the only one that an admin has configured.
  if (source === null) return isManual ? "the plugins folder, where it was put by hand" : null;
  const { version } = source;
  if (isSameLocation(source, { kind: "catalog", place: catalog, version })) return null;
  return describeInstallSource(source, false);
}
