import { readFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** Milliseconds of processor time that a process has used, all threads; null outside Linux. */
export async function readCpuMs(pid: number): Promise<number | null> {
  const stat = await readProc(pid, "stat");
  if (stat === null) return null;
  // The second field is the program's name in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Resident memory; null outside Linux. */
export async function readResidentBytes(pid: number): Promise<number | null> {
  const status = await readProc(pid, "status");
  const kib = status === null ? undefined : /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

async function readProc(pid: number, name: string): Promise<string | null> {
  if (process.platform !== "linux") return null;
  return readFile(`/proc/${pid}/${name}`, "utf8");
}
