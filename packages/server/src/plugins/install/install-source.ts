import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { PluginSource } from "./find-source.ts";

const installSourceSchema = z.object({
  kind: z.enum(["catalog", "address", "folder", "archive"]),
  /** Address or path, without credentials and query. */
  place: z.string(),
  /** The version that came from there. */
  version: z.string(),
});

/** Where an installed version came from. */
export type InstallSource = z.infer<typeof installSourceSchema>;

/** Lies in the version's folder, so that one rename puts both in place. Archives cannot bring one along. */
const fileName = "source.json";

export async function writeInstallSource(dir: string, source: InstallSource): Promise<void> {
  await writeFile(join(dir, fileName), JSON.stringify(source), { mode: 0o600 });
}

/** Null where no source is recorded: an older hub installed it, or it was put there by hand. */
export async function readInstallSource(dir: string): Promise<InstallSource | null> {
  try {
    return installSourceSchema.parse(JSON.parse(await readFile(join(dir, fileName), "utf8")));
  } catch {
    return null;
  }
}

/** `catalogPlace` is where names are looked up. */
export function toPlace(source: PluginSource, catalogPlace: () => string): string {
  if (source.kind === "catalog") return catalogPlace();
  return source.kind === "address" ? toShownAddress(source.url) : source.path;
}

/** Without what lets its holder in. */
export function toShownAddress(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Whether the next version of a plugin comes from where the one before came from. */
export function isSamePlace(a: InstallSource, b: InstallSource): boolean {
  return a.kind === b.kind && toPattern(a) === toPattern(b);
}

/** `…/tracker-1.0.0.zip` and `…/tracker-1.1.0.zip` are versions in one place. */
function toPattern({ place, version }: InstallSource): string {
  return place.replaceAll(version, "{version}");
}

/** `isLocal`: for readers who may see paths of the hub's machine. */
export function describeInstallSource({ kind, place }: InstallSource, isLocal: boolean): string {
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
