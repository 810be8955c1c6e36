import { readFileSync, readlinkSync } from "node:fs";

/** Distinguishes a process from a later one with the same pid. */
export type ProcessIdentity = {
  pid: number;
  /** Its start time, in a unit of the system. */
  startedAt: string;
  /** The file it runs; null if the system does not report it. */
  program: string | null;
};

/** Null if there is no such process or the system does not report it. */
export function findProcess(pid: number): ProcessIdentity | null {
  return process.platform === "linux" ? findInProc(pid) : findWithPs(pid);
}

/** The start time of a process, also of one that has ended but is not forgotten. Null if there is none. */
export function findStart(pid: number): string | null {
  if (process.platform !== "linux") return findWithPs(pid)?.startedAt ?? null;
  return readStat(pid)?.startedAt ?? null;
}

/** Identifies machine, boot and container: a pid is valid in one of them only. */
export function readProcessSpace(): string {
  if (process.platform !== "linux") return process.platform;
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${bootId} ${readlinkSync("/proc/self/ns/pid")}`;
}

function findInProc(pid: number): ProcessIdentity | null {
  const stat = readStat(pid);
  // A zombie has ended.
  if (stat === null || stat.state === "Z") return null;
  return { pid, startedAt: stat.startedAt, program: findProgram(pid) };
}

function readStat(pid: number): { state: string | undefined; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startedAt] = [fields[0], fields[19]];
    return startedAt === undefined ? null : { state, startedAt };
  } catch {
    return null;
  }
}

function findProgram(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
  } catch {
    return null;
  }
}

function findWithPs(pid: number): ProcessIdentity | null {
  if (process.platform === "win32") return null;
  const ps = Bun.spawnSync(["ps", "-o", "lstart=", "-o", "comm=", "-p", String(pid)], {
    env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
  });
  const line = ps.stdout.toString().trim();
  // `Fri Nov 20 11:20:36 2026 /path/of/the/program`
  const match = /^(\w{3} +\w{3} +\d+ [\d:]{8} \d{4}) +(.+)$/.exec(line);
  const [, startedAt, program] = match ?? [];
  if (startedAt === undefined || program === undefined) return null;
  // The day of the month is padded with a space.
  return { pid, startedAt: startedAt.replace(/ +/g, " "), program };
}
