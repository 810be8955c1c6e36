import type { InstalledPackages } from "../../packages/cli/src/licences/installed-packages.ts";
import { readLicenceFiles } from "../../packages/cli/src/licences/licence-files.ts";
import { textsElsewhere } from "../../packages/cli/src/licences/texts-elsewhere.ts";

/** Licences that ask for no more than their text beside the program. */
const permissive = new Set([
  ...["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"],
  ...["MIT", "MIT-0", "OFL-1.1", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"],
]);

/** Whether an SPDX expression allows to ship a package. An expression with both `AND` and `OR` does not. */
export function isPermissive(expression: string): boolean {
  const text = expression.replace(/^\((.*)\)$/, "$1");
  const choices = text.split(" OR ");
  const parts = text.split(" AND ");
  if (choices.length > 1 && parts.length > 1) return false;
  return choices.length > 1
    ? choices.some((id) => permissive.has(id))
    : parts.every((id) => permissive.has(id));
}

/**
 * What is wrong with the licences of the packages that ship, one sentence each: a package that is not installed, has no text,
 * or has an unknown licence or one that asks for more; an entry for a package without a file that is not needed any more.
 */
export async function findLicenceFaults(installed: InstalledPackages): Promise<string[]> {
  const { packages, missing } = installed;
  const faults = missing.map((name) => `${name} is not installed. Run "npm install".`);
  const used = new Set<string>();
  for (const { name, version, licence, folder } of packages) {
    if (!isPermissive(licence)) {
      faults.push(
        `${name} ${version} has the licence "${licence}", which may ask for more than its text. Replace the package, or add the licence to scripts/licences/find-faults.ts.`,
      );
    }
    if ((await readLicenceFiles(folder)).length > 0) continue;
    const known = textsElsewhere.find((each) => each.name === name && each.licence === licence);
    if (known === undefined) {
      faults.push(
        `${name} ${version} has no file of its licence. Add where it is stated to packages/cli/src/licences/texts-elsewhere.ts.`,
      );
    }
    used.add(name);
  }
  const unused = textsElsewhere.filter(({ name }) => !used.has(name));
  return [
    ...faults,
    ...unused.map(({ name }) => `${name} needs no entry in texts-elsewhere.ts.`),
  ].sort();
}
