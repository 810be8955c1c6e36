import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintSources } from "./fingerprint-sources.ts";
import { pruneBundles } from "./prune-bundles.ts";

export type BundleRequest = {
  /** The checkout. */
  root: string;
  /** Bundles of one name replace each other as the sources change. */
  name: string;
  /** The entry files of the programs. Their names must differ. */
  mains: readonly string[];
  /** Folders that contain sources, in addition to `packages`. */
  folders: readonly string[];
};

/**
 * Returns the folder of the bundle for the current sources, and writes the bundle first if it is
 * missing. Returns null if it cannot be written.
 */
export function findBundle(request: BundleRequest): string | null {
  const cache = join(request.root, "node_modules", ".cache", "hub");
  const fingerprint = fingerprintSources(request);
  const folder = join(cache, `${request.name}-${fingerprint}`);
  if (!lockBundle(folder) && !writeBundle(request, { cache, folder, fingerprint })) return null;
  return folder;
}

type Target = { cache: string; folder: string; fingerprint: string };

function writeBundle(request: BundleRequest, { cache, folder, fingerprint }: Target): boolean {
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    mkdirSync(join(draft, "pids"), { recursive: true });
  } catch {
    // The checkout is read-only, or belongs to another user.
    return false;
  }
  try {
    const writer = join(import.meta.dirname, "write-bundle.ts");
    // In a separate process, because the bundler's memory would never return to the system.
    const child = Bun.spawnSync([process.execPath, writer, request.root, draft, ...request.mains], {
      cwd: request.root,
      stdio: ["ignore", "ignore", "ignore"],
    });
    // If the sources changed in the meantime, the next start bundles them.
    if (child.exitCode !== 0 || fingerprintSources(request) !== fingerprint) return false;
    moveIntoPlace(draft, folder);
    pruneBundles(cache, request.name);
    return lockBundle(folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function moveIntoPlace(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch {
    // Another process wrote the same bundle first, or the caller finds no bundle and returns null.
  }
}

/** Marks the bundle as in use by this process, which loads parts of it later. */
function lockBundle(folder: string): boolean {
  const note = join(folder, "pids", String(process.pid));
  try {
    writeFileSync(note, "");
    process.once("exit", () => rmSync(note, { force: true }));
  } catch {
    // A bundle that is readable but not writable can still be used.
  }
  return existsSync(folder);
}
