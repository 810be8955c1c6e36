import { randomUUID } from "node:crypto";
import {
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { basename, join, parse, resolve } from "node:path";
import { toBuildInfo } from "@hub/server/lib/process/build-info.ts";
import { findCommit } from "@hub/server/lib/process/find-commit.ts";
import { type BuildRecord, type BuiltProgram, hostTarget, toRecordName } from "./build-record.ts";
import { runBunBuild } from "./bun-build.ts";
import type { Project } from "./find-project.ts";
import { findHubCheckout, findServerPackage } from "./hub-package.ts";
import { readSourceState, toSources } from "./sources.ts";

/** Compiles the project into this folder. The caller holds the folder's lock. */
export async function buildProgram(project: Project, folder: string): Promise<BuiltProgram> {
  const { root } = project;
  removeDrafts(folder);
  const draft = await mkdtemp(join(folder, draftPrefix));
  try {
    const id = randomUUID();
    const startedMs = readFileClock(draft);
    const builtMs = Date.now();
    const commit = findCommit(root);
    const packageDir = findServerPackage(root);
    const info = await toBuildInfo({ packageDir, commit, builtMs });
    const program = toProgramName(project);
    const bundled = await compile(project, {
      folder: draft,
      program,
      defines: {
        HUB_BUILD_INFO: info,
        HUB_BUILD: { id, root },
        ...toCheckoutDefine(root),
      },
    });
    const path = moveIntoPlace(join(draft, program), join(folder, program), id);
    const sources = toSources(root, bundled);
    const state = readSourceState(root, sources);
    const record: BuildRecord = {
      id,
      program: basename(path),
      program_bytes: statSync(path).size,
      root,
      entry: project.entry,
      target: hostTarget,
      bun_version: Bun.version,
      hub_version: info.hub_version,
      built_at: new Date(builtMs).toISOString(),
      commit,
      newest_source: new Date(state.newestMs).toISOString(),
      fingerprint: state.changedMs > startedMs ? "" : state.fingerprint,
      sources,
    };
    // Written last: if the process ends before, the old record leads to another build.
    const text = `${JSON.stringify(record, null, 2)}\n`;
    writeFileSync(join(draft, toRecordName(project)), text, { mode: 0o600 });
    renameSync(join(draft, toRecordName(project)), join(folder, toRecordName(project)));
    return { path, record };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

export function toProgramName({ name }: Pick<Project, "name">): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

const draftPrefix = ".build-";

/** The time of changes to files, whose clock can differ from this machine's. */
function readFileClock(folder: string): number {
  const probe = join(folder, "started");
  writeFileSync(probe, "");
  return statSync(probe).ctimeMs;
}

/** Those of builds that were killed. */
function removeDrafts(folder: string): void {
  for (const each of readdirSync(folder)) {
    if (each.startsWith(draftPrefix)) rmSync(join(folder, each), { recursive: true, force: true });
  }
}

/** Windows does not replace a program that runs. The new one gets another name then. */
function moveIntoPlace(from: string, to: string, id: string): string {
  try {
    renameSync(from, to);
    return to;
  } catch {
    const { dir, name, ext } = parse(to);
    const other = join(dir, `${name}-${id.slice(0, 8)}${ext}`);
    renameSync(from, other);
    return other;
  }
}

type Compilation = { folder: string; program: string; defines: Record<string, unknown> };

/** Returns the absolute paths of all bundled files. */
async function compile(
  { root, entry }: Project,
  { folder, program, defines }: Compilation,
): Promise<string[]> {
  const metafile = join(folder, "bundle.json");
  try {
    await runBunBuild({
      mains: [entry, ...findWorkers(root)],
      outfile: join(folder, program),
      cwd: folder,
      flags: [
        // A command loads only the parts that it needs, and they need not be parsed.
        "--splitting",
        "--bytecode",
        "--format=esm",
        "--minify-whitespace",
        // The server looks for its workers beside the entry.
        "--entry-naming=[name].[ext]",
        `--metafile=${metafile}`,
        ...Object.entries(defines).map(
          ([key, value]) => `--define=${key}=${JSON.stringify(value)}`,
        ),
      ],
    });
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Building ${root} failed: ${findFirstError(text)}`);
  }
  const { inputs }: { inputs: object } = JSON.parse(readFileSync(metafile, "utf8"));
  // The compiler's paths are relative to the real path, and the data folder may be a link.
  const cwd = realpathSync(folder);
  return Object.keys(inputs).map((path) => resolve(cwd, path));
}

function findWorkers(root: string): string[] {
  const source = join(findServerPackage(root), "src");
  return [
    join(source, "operations", "answers", "answer-worker.ts"),
    join(source, "bridges", "openapi", "documents", "document-worker.ts"),
  ];
}

function toCheckoutDefine(root: string): Record<string, string> {
  const checkout = findHubCheckout(root);
  return checkout === null ? {} : { HUB_CHECKOUT: checkout };
}

/** The compiler prints each error as an excerpt of the source, the message, and the position. */
function findFirstError(text: string): string {
  const [, message, position] = /^error: (.*)(?:\n +at (.*))?$/m.exec(text) ?? [];
  if (message === undefined) return text.slice(0, 2000);
  return position === undefined ? message : `${message} (${position})`;
}
