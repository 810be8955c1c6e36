import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceText } from "@hub/connector";
import { z } from "zod";
import { embeddedCatalog } from "../catalog/embedded-catalog.ts";
import type { PluginSource } from "./find-install-source.ts";

const installSourceSchema = z.object({
  kind: z.enum(["catalog", "address", "folder", "archive"]),
  /** URL or path, without credentials and query. */
  place: z.string(),
  /** The version that was installed from there. */
  version: z.string(),
  /** The id of the build in the database that several servers share; absent on SQLite. */
  build: z.string().optional(),
});

/** The source of an installed version. */
export type InstallSource = z.infer<typeof installSourceSchema>;

/** Stored in the version's folder, so that one rename installs both. Archives cannot contain one. */
const fileName = "source.json";

/** The source of a version that is in the database. */
export function parseInstallSource(text: string): InstallSource {
  return installSourceSchema.parse(JSON.parse(text));
}

export async function writeInstallSource(dir: string, source: InstallSource): Promise<void> {
  await writeFile(join(dir, fileName), JSON.stringify(source), { mode: 0o600 });
}

/** Null if no source is recorded: an older hub installed it, or it was copied there by hand. */
export async function readInstallSource(dir: string): Promise<InstallSource | null> {
  try {
    return parseInstallSource(await readFile(join(dir, fileName), "utf8"));
  } catch {
    return null;
  }
}

/** Before the name of an uploaded file. Paths of files are absolute, so they cannot begin with it. */
const uploadPrefix = "upload:";

/** The recorded source, without the version. */
export function toInstallSource(
  source: PluginSource,
  catalogLocation: () => string,
): Omit<InstallSource, "version"> {
  switch (source.kind) {
    case "catalog":
      return { kind: "catalog", place: catalogLocation() };
    case "address":
      return { kind: "address", place: toShownAddress(source.url) };
    case "upload":
      // Servers of the version before share the database and know only these kinds.
      return { kind: "archive", place: uploadPrefix + source.name };
    default:
      return { kind: source.kind, place: source.path };
  }
}

/** A URL without credentials and query. */
export function toShownAddress(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Whether two versions of a plugin have the same source. */
export function isSameLocation(a: InstallSource, b: InstallSource): boolean {
  // Anyone can give a file the same name.
  if (a.place.startsWith(uploadPrefix)) return false;
  return a.kind === b.kind && toPattern(a) === toPattern(b);
}

/** `…/tracker-1.0.0.zip` and `…/tracker-1.1.0.zip` are versions at one location. */
function toPattern({ place, version }: InstallSource): string {
  return replaceText(place, version, "{version}");
}

/** `isLocal`: the reader may see paths of the hub's machine. */
export function describeInstallSource({ kind, place }: InstallSource, isLocal: boolean): string {
  if (place.startsWith(uploadPrefix))
    return `the uploaded file ${place.slice(uploadPrefix.length)}`;
  if (place === embeddedCatalog) return "the catalog in the hub's program";
  const isPath = !/^https?:/.test(place);
  const shown = isPath && !isLocal ? "on the hub's machine" : place;
  switch (kind) {
    case "catalog":
      return `the catalog ${shown}`;
    case "address":
      return `the address ${shown}`;
    case "folder":
      return isLocal ? `the folder ${shown}` : `a folder ${shown}`;
    case "archive":
      return isLocal ? `the file ${shown}` : `a file ${shown}`;
  }
}
