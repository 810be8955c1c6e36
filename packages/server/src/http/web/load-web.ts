import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../lib/files/package-folder.ts";
import { openEmbedded } from "../../lib/files/packed-files.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { type ReadWebFile, readWebFiles, type WebFiles } from "./web-files.ts";

/** Loads the app on first use; null if this program has no app, or it cannot be built. */
export type LoadWeb = () => Promise<WebFiles | null>;

type LoaderDeps = { log: Pick<Log, "error">; now: () => number };

const retryMs = 10_000;

/**
 * Takes the app that is embedded in this program, or in its package. Otherwise builds that of this checkout, in a process of
 * its own, or takes the build of an earlier start.
 * A failure is reported and tried again later, so that requests cannot start a process each.
 */
export function createWebLoader({ log, now }: LoaderDeps): LoadWeb {
  let loaded: Promise<WebFiles | null> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (loaded === null && now() - failedAt < retryMs) return Promise.resolve(null);
    loaded ??= openWeb()
      .then((read) => (read === null ? null : readWebFiles(read)))
      .catch((err) => {
        log.error({ err }, "The pages cannot be built");
        loaded = null;
        failedAt = now();
        return null;
      });
    return loaded;
  };
}

async function openWeb(): Promise<ReadWebFile | null> {
  const packed = await openEmbedded("web");
  if (packed !== null) return async (name) => packed.read(name);
  const folder = findBuiltFolder() ?? (await findWebFolder());
  return folder === null ? null : (name) => Bun.file(join(folder, name)).arrayBuffer();
}

/** In the package of the app, which has it built. A checkout has its sources. */
function findBuiltFolder(): string | null {
  const folder = join(packageFolder, "..", "web", "dist");
  return existsSync(join(folder, "manifest.json")) ? folder : null;
}

async function findWebFolder(): Promise<string | null> {
  const script = join(packageFolder, "..", "web", "build", "print-folder.ts");
  if (!existsSync(script)) return null;
  const child = Bun.spawn([process.execPath, script], {
    // A compiled program starts as Bun.
    env: { ...process.env, BUN_BE_BUN: "1", BUN_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(errors.slice(0, 2000));
  return printed.trim();
}
