import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { packageFolder } from "@hub/server/lib/files/package-folder.ts";
import { openEmbedded } from "@hub/server/lib/files/packed-files.ts";
import { readHubVersion } from "@hub/server/lib/process/build-info.ts";
import { findPackage } from "../project/hub-package.ts";
import { findInstalledPackages, type InstalledPackage } from "./installed-packages.ts";
import { readLicenceFiles } from "./licence-files.ts";
import {
  type LicenceList,
  type LicensedPart,
  licenceListSchema,
  toLicenceList,
  toParts,
} from "./licence-list.ts";
import { readRuntimeParts } from "./runtime-parts.ts";
import { textsElsewhere, toMitText } from "./texts-elsewhere.ts";

/**
 * The file in the program, or in a package that has other packages in it.
 * @internal
 */
export const licencesFile = "licences.json";

/**
 * The licences of this program: the list that is in it, or in a checkout and a project with the hub's packages those of the
 * packages in `node_modules`. Throws if this program has neither.
 */
export async function readLicences(): Promise<LicenceList> {
  const embedded = await openEmbedded("licences");
  if (embedded !== null) {
    const text = brotliDecompressSync(embedded.read(`${licencesFile}.br`)).toString();
    return licenceListSchema.parse(JSON.parse(text));
  }
  if (findPackage("@hub/cli", packageFolder) === null) {
    throw new Error(
      'This program has no list of licences in it. Its packages are in the "node_modules" of the project that it was compiled from: "npx hub version --licences" prints their licences there.',
    );
  }
  return await listInstalledLicences(packageFolder);
}

/**
 * The packages of a hub, found from a folder in it.
 * @internal
 */
export function findHubPackages(start: string): string[] {
  const names = ["cli", "connector", "contract", "server", "web"];
  return names.flatMap((name) => findPackage(`@hub/${name}`, start) ?? []);
}

/**
 * Reads the licences of the hub's packages and of what they need. A package without a text is listed with none.
 * @internal
 */
export async function listInstalledLicences(start: string): Promise<LicenceList> {
  const roots = findHubPackages(start);
  const cli = findPackage("@hub/cli", start);
  if (cli === null) throw new Error(`The package @hub/cli is not installed for ${start}.`);
  const parts = await Promise.all(findInstalledPackages(roots).packages.map(readPart));
  const own: LicensedPart = {
    name: "hub",
    version: await readHubVersion(),
    licence: "MIT",
    texts: [await readFile(findOwnLicence(cli), "utf8")],
  };
  const runtime = await readRuntimeParts(join(cli, "licences"));
  return toLicenceList([own, ...runtime, ...(await readPacked(roots)), ...parts]);
}

/**
 * A package with its texts, or with none.
 * @internal
 */
export async function readPart({
  name,
  version,
  licence,
  folder,
}: InstalledPackage): Promise<LicensedPart> {
  const files = await readLicenceFiles(folder);
  const known = textsElsewhere.filter((each) => each.name === name && each.licence === licence);
  return { name, version, licence, texts: files.length > 0 ? files : known.map(toMitText) };
}

/** Of packages that were bundled into a package, such as the pages in that of the app. */
async function readPacked(folders: readonly string[]): Promise<LicensedPart[]> {
  const files = folders.map((folder) => join(folder, licencesFile)).filter(existsSync);
  const lists = await Promise.all(files.map((file) => Bun.file(file).json()));
  return lists.flatMap((list) => toParts(licenceListSchema.parse(list)));
}

/** In a package, or at the root of a checkout. */
function findOwnLicence(cli: string): string {
  const own = join(cli, "LICENSE");
  return existsSync(own) ? own : join(cli, "..", "..", "LICENSE");
}
