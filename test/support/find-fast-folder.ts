import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
/** Several times what all tests keep there at once. */
const memoryBytesMin = 4 * 1024 ** 3;

/**
 * A folder in memory, if there is one with free space, else the system's folder for temporary files. What tests keep there
 * need not survive them, so nothing has to wait for a disk.
 */
export function findFastFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= memoryBytesMin ? memory : tmpdir();
}
