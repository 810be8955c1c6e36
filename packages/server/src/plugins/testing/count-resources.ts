import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The number of system resources of this process, by kind. */
export type Resources = { files: number; sockets: number; pipes: number; children: number };

/** Null if the system has no /proc. */
export function countResources(): Resources | null {
  if (process.platform !== "linux") return null;
  const targets = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The descriptor of the folder itself.
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

/** Includes zombies. */
function listChildren(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => findParent(pid) === process.pid);
}

function findParent(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may contain any character.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}
