import { open, rm } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "../statistics.ts";

export type Machine = {
  cores: number;
  cpu: string;
  memoryGb: number;
  kernel: string;
  bun: string;
  /** The commit. It ends in `+` if files differ from it. */
  commit: string;
  /** The median duration of a durable write of 4 KiB to the disk of the data folders. */
  durableWriteMs: number;
  /** The load average of the minute before the first measure. Above 0.5, the machine was busy. */
  loadBefore: number;
};

export async function describeMachine(folder: string, loadBefore: number): Promise<Machine> {
  const processors = cpus();
  return {
    cores: processors.length,
    cpu: processors[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${platform()} ${release()} ${arch()}`,
    bun: Bun.version,
    commit: await findCommit(),
    durableWriteMs: await timeDurableWrite(folder),
    loadBefore,
  };
}

async function findCommit(): Promise<string> {
  const commit = await git("rev-parse", "--short=12", "HEAD");
  const isChanged = (await git("status", "--porcelain", "--", "packages")) !== "";
  return commit === "" ? "unknown" : `${commit}${isChanged ? "+" : ""}`;
}

async function git(...args: string[]): Promise<string> {
  const child = Bun.spawn(["git", ...args], {
    cwd: join(import.meta.dirname, "../.."),
    stdout: "pipe",
    stderr: "ignore",
  });
  return (await child.stdout.text()).trim();
}

async function timeDurableWrite(folder: string): Promise<number> {
  const path = join(folder, "durable-write");
  const file = await open(path, "w");
  const block = Buffer.alloc(4096, 1);
  const tookMs: number[] = [];
  try {
    for (let count = 0; count < 50; count += 1) {
      const startedAt = performance.now();
      await file.write(block);
      await file.datasync();
      tookMs.push(performance.now() - startedAt);
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return median(tookMs);
}
