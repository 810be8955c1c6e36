import { existsSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { toBuildInfo } from "@hub/server/lib/process/build-info.ts";
import { findCommit } from "@hub/server/lib/process/find-commit.ts";
import { findWorkers } from "../../packages/cli/src/bundle/find-bundled-program.ts";
import { fingerprintSources } from "../../packages/cli/src/bundle/fingerprint-sources.ts";
import { runBunBuild } from "../../packages/cli/src/project/bun-build.ts";
import { bundleMain } from "./bundle-main.ts";

const root = resolve(import.meta.dirname, "../..");
const support = join(root, "test/support");
const cache = join(root, "node_modules/.cache/hub/programs");
const main = join(support, "all-programs.ts");
const hub = join(root, "packages/cli/src/hub.ts");
const others = [
  ...["fixture-hub", "form-hub", "hostile-hub", "hostile-texts-hub", "plugins-hub"],
  "command-runner",
].map((name) => join(support, `${name}.ts`));
const folders = ["test/support", "plugins/codehost/src", "plugins/logs/src"];
let compiled: string | undefined;

/**
 * The command that starts a program: its executable, if {@link compilePrograms} has made it from the current
 * sources, which `npm test` does first. Otherwise its bundle, which is made in less time.
 */
export function toProgramCommand(
  program: string,
  { isFromSource = false } = {},
): [string, ...string[]] {
  if (!isFromSource && (program === hub || others.includes(program))) {
    compiled ??= findProgramFolder();
    const path = join(compiled, basename(program, ".ts"));
    if (existsSync(path)) return [path];
  }
  return [process.execPath, bundleMain(program)];
}

/**
 * Compiles the programs as the hub compiles a project, into one executable with bytecode. It starts in half of the
 * processor time of the bundle. Each program is a link to it, which differs by its name.
 */
export async function compilePrograms(): Promise<void> {
  const place = findProgramFolder();
  if (existsSync(place)) return;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".draft-"));
  try {
    const packageDir = join(root, "packages/server");
    const info = { packageDir, commit: findCommit(root), builtMs: Date.now() };
    const defines = {
      HUB_BUILD_INFO: await toBuildInfo(info),
      HUB_BUILD: { id: basename(place), root },
      HUB_CHECKOUT: root,
    };
    await runBunBuild({
      mains: [main, ...findWorkers(root)],
      outfile: join(draft, "hub"),
      cwd: draft,
      flags: [
        ...["--splitting", "--bytecode", "--format=esm", "--minify-whitespace"],
        "--entry-naming=[name].[ext]",
        ...Object.entries(defines).map(
          ([key, value]) => `--define=${key}=${JSON.stringify(value)}`,
        ),
      ],
    });
    for (const each of others) await link(join(draft, "hub"), join(draft, basename(each, ".ts")));
    for (const each of await readdir(cache)) {
      const isOutdated = join(cache, each) !== draft && !each.startsWith(".draft-");
      if (isOutdated) await rm(join(cache, each), { recursive: true, force: true });
    }
    // Another process may have been faster.
    await rename(draft, place).catch(() => {});
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The executable has the commit in it. */
function findProgramFolder(): string {
  return join(cache, `${fingerprintSources({ root, mains: [main], folders })}-${findCommit(root)}`);
}
