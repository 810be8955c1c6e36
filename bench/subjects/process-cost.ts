import { readdir, readFile, readlink, writeFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** The processor time of all threads of a process in milliseconds; null outside Linux. */
export async function readCpuMs(pid: number): Promise<number | null> {
  const fields = await readStatFields(pid);
  if (fields === null) return null;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Resident memory; null outside Linux. */
export function readResidentBytes(pid: number): Promise<number | null> {
  return readStatusBytes(pid, "VmRSS");
}

/** The peak of resident memory since `resetPeak`; null outside Linux. */
export function readPeakBytes(pid: number): Promise<number | null> {
  return readStatusBytes(pid, "VmHWM");
}

export async function resetPeak(pid: number): Promise<void> {
  if (process.platform === "linux") await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/** The child processes of this process with programs in a folder; empty outside Linux. */
export async function findChildren(pid: number, folder: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const isOne = async (each: number) =>
    Number((await readStatFields(each))?.[1]) === pid &&
    (await readlink(`/proc/${each}/exe`)).startsWith(folder);
  // Other processes can end at any time.
  const found = await Promise.all(pids.map((each) => isOne(each).catch(() => false)));
  return pids.filter((_, index) => found[index]);
}

/** A process and all that it started, directly or not; only itself outside Linux. */
async function findTree(pid: number): Promise<number[]> {
  if (process.platform !== "linux") return [pid];
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // Other processes can end at any time.
    const fields = await readStatFields(Number(name)).catch(() => null);
    if (fields !== null) parents.set(Number(name), Number(fields[1]));
  }
  const tree = [pid];
  for (const parent of tree) {
    for (const [child, of] of parents) if (of === parent) tree.push(child);
  }
  return tree;
}

/** Resident memory of a process and all that it started, now or at its peak; NaN outside Linux. */
export async function readTreeMb(pid: number, of: "now" | "peak"): Promise<number> {
  const read = of === "now" ? readResidentBytes : readPeakBytes;
  const bytes = await Promise.all((await findTree(pid)).map(read));
  return bytes.reduce<number>((sum, one) => sum + (one ?? Number.NaN), 0) / 1e6;
}

async function readStatusBytes(pid: number, name: string): Promise<number | null> {
  const status = await readProc(pid, "status");
  const line = status?.split("\n").find((text) => text.startsWith(`${name}:`));
  return line === undefined ? null : Number(/\d+/.exec(line)?.[0]) * 1024;
}

/** The fields from the third on, because the second is the program's name and may contain spaces. */
async function readStatFields(pid: number): Promise<string[] | null> {
  const stat = await readProc(pid, "stat");
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

async function readProc(pid: number, name: string): Promise<string | null> {
  if (process.platform !== "linux") return null;
  return readFile(`/proc/${pid}/${name}`, "utf8");
}
