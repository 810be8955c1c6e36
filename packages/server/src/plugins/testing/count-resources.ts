import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What this process holds of the system, by kind. */
export type Resources = { files: number; sockets: number; pipes: number; children: number };

/** Null where the system has no /proc. */
export function countResources(): Resources | null {
  if (process.platform !== "linux") return null;
  const targets = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The one through which the folder itself was read.
      return [];
    }
  });
  const count = (prefix: string) => targets.filter((target) => target.startsWith(prefix)).length;
  return {
    files: count("/"),
    sockets: count("socket:"),
    pipes: count("pipe:"),
    children: listChildren().length,
  };
}

/** Those that have ended and were never asked how are among them. */
function listChildren(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => findParent(pid) === process.pid);
}

function findParent(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name and may hold anything; the last ")" ends it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}
