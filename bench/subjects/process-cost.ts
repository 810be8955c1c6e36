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
