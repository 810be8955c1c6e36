import { join } from "node:path";
import { type GroupRoot, readWords } from "./find-group-root.ts";
import type { GroupSystem } from "./group-system.ts";

export type GroupLimits = {
  memoryBytes: number | null;
  tasks: number | null;
};

/** The cgroups of this hub's programs. */
export type ProgramGroups = {
  /** Makes one. Throws if the system refuses it. */
  open(): ProgramGroup;
};

export type ProgramGroup = {
  path: string;
  /** Ends all that is in it, and removes it. Never rejects: what cannot be removed waits for the next hub. */
  end(): Promise<void>;
};

/** Their names hold the hub's pid and start time, so that a later hub finds those of a dead one. */
const namePattern = /^hub-program-(\d+)-(\d+)-\d+$/;
/** The hub's own: no process may be in a cgroup that has limited ones in it. */
const ownName = "hub-own";
const movesMax = 20;
const removalsMax = 250;

/** Prepares the hub's cgroup, in which programs then get theirs. Throws if the system refuses it. */
export function openProgramGroups(
  system: GroupSystem,
  root: GroupRoot,
  limits: GroupLimits,
): ProgramGroups {
  const { base } = root;
  const controllers = ["memory", ...(root.countsTasks && limits.tasks !== null ? ["pids"] : [])];
  const control = join(base, "cgroup.subtree_control");
  const enabled = new Set(readWords(system, control));
  if (!controllers.every((name) => enabled.has(name))) {
    moveAway(system, base);
    for (const name of controllers) system.write(control, `+${name}`);
  }
  const startedAt = system.findStart(process.pid) ?? "0";
  let count = 0;
  return {
    open() {
      count += 1;
      const path = join(base, `hub-program-${process.pid}-${startedAt}-${count}`);
      system.make(path);
      try {
        setLimits(system, path, controllers, limits);
      } catch (thrown) {
        system.remove(path);
        throw thrown;
      }
      return { path, end: () => endGroup(system, path) };
    },
  };
}

/** Moves all processes of a cgroup into one in it. The topmost cgroup of a machine may keep its own. */
function moveAway(system: GroupSystem, base: string): void {
  if (readWords(system, join(base, "cgroup.type")).length === 0) return;
  const own = join(base, ownName);
  if (!system.list(base).includes(ownName)) system.make(own);
  // Processes may start others meanwhile.
  for (let pass = 0; pass < movesMax; pass += 1) {
    const pids = readWords(system, join(base, "cgroup.procs"));
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        system.write(join(own, "cgroup.procs"), pid);
      } catch {
        // It has ended.
      }
    }
  }
}

function setLimits(
  system: GroupSystem,
  path: string,
  controllers: readonly string[],
  { memoryBytes, tasks }: GroupLimits,
): void {
  if (memoryBytes !== null) {
    system.write(join(path, "memory.max"), String(memoryBytes));
    // All its processes end: a part of a program is of no use.
    system.write(join(path, "memory.oom.group"), "1");
    // Not there if the system counts no swap.
    const swap = "memory.swap.max";
    if (system.list(path).includes(swap)) system.write(join(path, swap), "0");
  }
  if (controllers.includes("pids")) system.write(join(path, "pids.max"), String(tasks));
}

async function endGroup(system: GroupSystem, path: string): Promise<void> {
  try {
    system.write(join(path, "cgroup.kill"), "1");
  } catch {
    // Linux before 5.14. Its processes are found by their marks.
  }
  for (let pass = 0; pass < removalsMax; pass += 1) {
    try {
      system.remove(path);
      return;
    } catch {
      // Its processes end at this moment.
      await system.pause();
    }
  }
}

/** Ends what is left in cgroups of dead hubs, and removes these. Returns their number. */
export async function sweepGroups(system: GroupSystem, { base }: GroupRoot): Promise<number> {
  const left = system.list(base).filter((name) => {
    const [, pid, startedAt] = namePattern.exec(name) ?? [];
    return pid !== undefined && system.findStart(Number(pid)) !== startedAt;
  });
  for (const name of left) await endGroup(system, join(base, name));
  return left.length;
}
