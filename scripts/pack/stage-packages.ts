import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findInstalledPackages } from "../../packages/cli/src/licences/installed-packages.ts";
import { toLicenceList } from "../../packages/cli/src/licences/licence-list.ts";
import { licencesFile, readPart } from "../../packages/cli/src/licences/read-licences.ts";
import { toBuildInfo } from "../../packages/server/src/lib/process/build-info.ts";
import { findCommit } from "../../packages/server/src/lib/process/find-commit.ts";
import { buildWeb } from "../../packages/web/build/build-web.ts";
import { writeTypes } from "../build/build-connector-package.ts";
import { copyPages } from "../build/copy-pages.ts";
import { findNeeded } from "./find-needed.ts";
import { listSourceFiles } from "./list-source-files.ts";
import { type PackedName, packedNames, sourceNames } from "./packed-packages.ts";
import { toPackedManifest } from "./to-packed-manifest.ts";
import { writeRunHubTypes } from "./write-package-types.ts";

type Staging = { root: string; out: string; builtMs: number; brotliQuality: number };

/** Writes a folder for each package, as npm packs it, and returns the folders. */
export async function stagePackages({
  root,
  out,
  builtMs,
  brotliQuality,
}: Staging): Promise<string[]> {
  const packageDir = join(root, "packages", "server");
  const info = await toBuildInfo({ packageDir, commit: findCommit(root), builtMs });
  const { dependencies } = await Bun.file(join(root, "package.json")).json();
  for (const name of packedNames) {
    const from = join(root, "packages", name);
    const to = join(out, name);
    const hasSources = sourceNames.some((each) => each === name);
    const manifest = toPackedManifest({
      name,
      manifest: await Bun.file(join(from, "package.json")).json(),
      needed: hasSources ? await findNeeded(root, name) : null,
      build: info,
      bunVersion: dependencies.bun,
    });
    for (const file of hasSources ? listSourceFiles(from) : []) {
      await mkdir(dirname(join(to, file)), { recursive: true });
      await copyFile(join(from, file), join(to, file));
    }
    await mkdir(to, { recursive: true });
    await copyFile(join(root, "LICENSE"), join(to, "LICENSE"));
    await writeFile(join(to, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(join(to, "README.md"), toReadme(name, manifest));
  }
  await copyPages(join(root, "docs"), join(out, "server", "docs"));
  const source = join(root, "packages", "connector", "src");
  const mains = [join(source, "index.ts"), join(source, "plugin", "index.ts")];
  await writeTypes({ root, source, mains, out: join(out, "connector", "types") });
  await writeRunHubTypes(root, join(out, "cli", "types"));
  await stageApp({ root, out: join(out, "web"), brotliQuality });
  return packedNames.map((name) => join(out, name));
}

/** The built app, and the licences of the packages in it. */
async function stageApp({ root, out, brotliQuality }: Omit<Staging, "builtMs">): Promise<void> {
  const folder = join(root, "packages", "web");
  await buildWeb({ folder, out: join(out, "dist"), brotliQuality });
  const { packages } = findInstalledPackages([folder]);
  const list = toLicenceList(await Promise.all(packages.map(readPart)));
  await writeFile(join(out, licencesFile), JSON.stringify(list));
}

const starts: { [name in PackedName]?: string } = {
  cli: `\`\`\`
npm install @hub/cli
npx hub serve
\`\`\`

npm 11 asks whether Bun may run its set-up: put \`"allowScripts": { "bun": true }\` into \`package.json\`.
\`npx hub help topics\` lists the documentation.
`,
  connector:
    "`npx wick plugin init NAME`, of the package `@hub/cli`, makes a plugin that uses this package.\n",
};

function toReadme(name: PackedName, manifest: object): string {
  const description = "description" in manifest ? manifest.description : "";
  const start =
    starts[name] ?? "It has no interface of its own that stays the same: use `@hub/cli`.\n";
  return `# @hub/${name}\n\n${description}\n\n${start}`;
}
