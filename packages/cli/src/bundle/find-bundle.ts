import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintSources } from "./fingerprint-sources.ts";
import { pruneBundles } from "./prune-bundles.ts";

export type BundleRequest = {
  /** The checkout. */
  root: string;
  /** Bundles of one name replace each other as the sources change. */
  name: string;
  /** The programs, each by its file. Their names must differ. */
  mains: readonly string[];
  /** Folders that hold sources besides `packages`. */
  folders: readonly string[];
};

/**
 * The folder of the bundle of these programs as their sources are now. Writes it where it is not
 * there yet. Returns null where it cannot be written.
 */
export function findBundle(request: BundleRequest): string | null {
  const cache = join(request.root, "node_modules", ".cache", "hub");
  const fingerprint = fingerprintSources(request);
  const folder = join(cache, `${request.name}-${fingerprint}`);
  if (!holdBundle(folder) && !writeBundle(request, { cache, folder, fingerprint })) return null;
  return folder;
}

type Place = { cache: string; folder: string; fingerprint: string };

function writeBundle(request: BundleRequest, { cache, folder, fingerprint }: Place): boolean {
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    mkdirSync(join(draft, "pids"), { recursive: true });
  } catch {
    // A checkout of another user, or one that is read-only.
    return false;
  }
  try {
    const writer = join(import.meta.dirname, "write-bundle.ts");
    // In a process of its own: a bundler's memory would stay with a hub that runs for months.
    const child = Bun.spawnSync([process.execPath, writer, request.root, draft, ...request.mains], {
      cwd: request.root,
      stdio: ["ignore", "ignore", "ignore"],
    });
    // Sources that changed meanwhile are bundled by the next start.
    if (child.exitCode !== 0 || fingerprintSources(request) !== fingerprint) return false;
    moveIntoPlace(draft, folder);
    pruneBundles(cache, request.name);
    return holdBundle(folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function moveIntoPlace(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was faster, and its bundle is the same; or there is none, and no harm done.
  }
}

/** Notes that this process loads its parts from there as it needs them, so that they stay. */
function holdBundle(folder: string): boolean {
  const note = join(folder, "pids", String(process.pid));
  try {
    writeFileSync(note, "");
    process.once("exit", () => rmSync(note, { force: true }));
  } catch {
    // A bundle that this user may read and not write serves as well.
  }
  return existsSync(folder);
}
