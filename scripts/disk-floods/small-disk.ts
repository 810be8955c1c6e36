import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mebibyte = 1024 ** 2;

/** A disk in memory, which only root can mount, and on Linux. */
export type SmallDisk = Disposable & {
  path: string;
  readFreeMiB(): number;
  /** Leaves this much space. The returned function gives the rest back. */
  fill(leftMiB: number): () => void;
};

export const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** Throws an Error if the system does not mount it. */
export function mountDisk(sizeMiB: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "hub-disk-"));
  const { exitCode, stderr } = Bun.spawnSync([
    ...["mount", "-t", "tmpfs", "-o", `size=${sizeMiB}m`, "tmpfs", path],
  ]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  const readFreeMiB = () => {
    const { bavail, bsize } = statfsSync(path);
    return (bavail * bsize) / mebibyte;
  };
  return {
    path,
    readFreeMiB,
    fill(leftMiB) {
      const filler = join(path, "filler");
      const bytes = Math.floor((readFreeMiB() - leftMiB) * mebibyte);
      if (bytes > 0) writeFileSync(filler, new Uint8Array(bytes));
      return () => rmSync(filler, { force: true });
    },
    [Symbol.dispose]() {
      Bun.spawnSync(["umount", "-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
