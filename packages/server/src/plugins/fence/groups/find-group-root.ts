import { dirname, join } from "node:path";
import type { GroupSystem } from "./group-system.ts";

/** Where the hub makes a cgroup (version 2) for each program. */
export type GroupRoot = {
  /** Where the system shows all cgroups. */
  mount: string;
  /** The cgroup in which it makes them. */
  base: string;
  /** The cgroup of the hub itself: the base, or one in it. */
  own: string;
  /** Whether the number of tasks can be limited, too. */
  countsTasks: boolean;
};

/** Or why there is none, as part of a sentence. Changes nothing. */
export function findGroupRoot(system: GroupSystem): GroupRoot | string {
  const found = findOwn(system);
  if (found === null) return "this system has no cgroup of version 2 for the hub";
  const { mount, own } = found;
  const base = [own, ...(own === mount ? [] : [dirname(own)])].find((path) =>
    isOurs(system, path, mount),
  );
  if (base === undefined) return "the hub's cgroup is not given to it (Delegate= of systemd)";
  const controllers = readWords(system, join(base, "cgroup.controllers"));
  if (!controllers.includes("memory")) return "the hub's cgroup has no memory controller";
  return { mount, base, own, countsTasks: controllers.includes("pids") };
}

/** By a service manager; or the topmost one that root sees, as in a container that may change its cgroups. */
function isOurs(system: GroupSystem, path: string, mount: string): boolean {
  if (!system.isGiven(path) && !(system.isRoot && path === mount)) return false;
  const files = ["cgroup.procs", "cgroup.subtree_control"].map((name) => join(path, name));
  return [path, ...files].every((file) => system.canWrite(file));
}

function findOwn(system: GroupSystem): { mount: string; own: string } | null {
  try {
    const name = /^0::(\/.*)$/m.exec(system.read("/proc/self/cgroup"))?.[1];
    if (name === undefined || name.startsWith("/..")) return null;
    for (const line of system.read("/proc/self/mountinfo").split("\n")) {
      const [fields = "", after = ""] = line.split(" - ");
      const [, , , root = "", mount = ""] = fields.split(" ");
      if (!after.startsWith("cgroup2 ")) continue;
      if (root === "/" || name === root || name.startsWith(`${root}/`)) {
        const below = root === "/" ? name : name.slice(root.length);
        return { mount, own: below === "/" || below === "" ? mount : join(mount, below) };
      }
    }
  } catch {
    // No /proc, as on other systems.
  }
  return null;
}

export function readWords(system: Pick<GroupSystem, "read">, path: string): string[] {
  try {
    return system
      .read(path)
      .split(/\s+/)
      .filter((word) => word !== "");
  } catch {
    return [];
  }
}
