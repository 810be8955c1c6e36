import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LicensedPart } from "./licence-list.ts";
import { toMitText } from "./texts-elsewhere.ts";

/**
 * The version of Bun whose list of libraries is in `licences/`. A test compares it with the one that is installed.
 * @internal
 */
export const runtimeVersion = "1.4.4";

const ownText = toMitText({
  holder: "the authors of Bun (https://github.com/oven-sh/bun)",
  source: "the list of Bun's licences",
});

const relinking = `Bun contains JavaScriptCore, which is under the LGPL. You may change it and link it again: the sources of this Bun
are https://github.com/oven-sh/bun at bun-v${runtimeVersion} and https://github.com/oven-sh/WebKit. The sources of the hub, under
the MIT licence, have "npm run build", which makes this program again with the Bun that runs it.`;

/** What Bun says of itself: `docs/project/license.mdx` of the npm package bun-types. */
const bunList = `bun-${runtimeVersion}.md`;

const libraries = [
  ["JavaScriptCore and WebCore (in Bun)", "LGPL-2.0-or-later", "LGPL-2.0.txt"],
  ["tinycc (in Bun)", "LGPL-2.1-or-later", "LGPL-2.1.txt"],
  ["simdutf, highway, uSockets, uWebSockets, TigerBeetle (in Bun)", "Apache-2.0", "Apache-2.0.txt"],
] as const;

/** Bun and what is linked into it. `folder` has the texts, see `packages/cli/licences`. */
export async function readRuntimeParts(folder: string): Promise<LicensedPart[]> {
  const read = (name: string) => readFile(join(folder, name), "utf8");
  const bun: LicensedPart = {
    name: "bun",
    version: runtimeVersion,
    licence: "MIT",
    texts: [ownText, relinking, await read(bunList)],
  };
  const linked = libraries.map(async ([name, licence, file]) => ({
    name,
    version: runtimeVersion,
    licence,
    texts: [await read(file)],
  }));
  return [bun, ...(await Promise.all(linked))];
}
