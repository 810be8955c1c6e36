import { totalmem } from "node:os";
import { findStart } from "../../lib/process/process-identity.ts";
import { findGroupRoot, type GroupRoot } from "./groups/find-group-root.ts";
import { type GroupSystem, openGroupSystem } from "./groups/group-system.ts";
import {
  openProgramGroups,
  type ProgramGroup,
  type ProgramGroups,
  sweepGroups,
} from "./groups/program-groups.ts";
import type { LaunchLimits } from "./launch-plan.ts";

/** The settings. 0 is no limit. */
export type LimitSettings = {
  /** Of a program, where it has a cgroup. Null for the default. */
  memoryBytes: number | null;
  /** Of each process of a program, where it has none. */
  dataBytes: number;
  tasks: number;
};

/** The limits that are in force here. */
export type LimitsState = {
  memory: { by: "group" | "data"; bytes: number } | null;
  tasks: { by: "group" | "user"; count: number } | null;
  /** Why programs have no cgroups, as part of a sentence; null if they have. */
  absence: string | null;
};

export type ProgramLimits = {
  findState(): LimitsState;
  /** What the launcher does for the next program. */
  open(): { limits: LaunchLimits; group: ProgramGroup | null };
  /** The folder with all cgroups, which a program must not change; null if they limit nothing. */
  findGroupsFolder(): string | null;
  sweep(): Promise<number>;
};

type LimitsDeps = {
  settings: LimitSettings;
  /** Whether programs have a user of their own. */
  hasUser: boolean;
  /** Replaced in tests. */
  system?: GroupSystem;
};

const memoryBytesMax = 4 * 1024 ** 3;

/** Limits what programs take: by a cgroup for each, else by limits of processes, which hold for each process alone. */
export function createProgramLimits({
  settings,
  hasUser,
  system = openGroupSystem(findStart),
}: LimitsDeps): ProgramLimits {
  const { dataBytes, tasks } = settings;
  let root = findGroupRoot(system);
  let groups: ProgramGroups | null = null;
  const memoryBytes = settings.memoryBytes ?? findMemoryBytes(system, root);

  function findState(): LimitsState {
    if (typeof root !== "string") {
      return {
        memory: memoryBytes === 0 ? null : { by: "group", bytes: memoryBytes },
        tasks: tasks === 0 ? null : findTasks(root.countsTasks),
        absence: null,
      };
    }
    return {
      memory: dataBytes === 0 ? null : { by: "data", bytes: dataBytes },
      tasks: tasks === 0 ? null : findTasks(false),
      absence: root,
    };
  }

  function findTasks(countsTasks: boolean): LimitsState["tasks"] {
    if (countsTasks) return { by: "group", count: tasks };
    // The system counts a user's tasks together. Those of the hub's user are also the hub's own, and others'.
    return hasUser ? { by: "user", count: tasks } : null;
  }

  function openGroup(): ProgramGroup | null {
    if (typeof root === "string") return null;
    try {
      const limits = { memoryBytes: memoryBytes || null, tasks: tasks || null };
      groups ??= openProgramGroups(system, root, limits);
      return groups.open();
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      root = `the system refused a cgroup for a program (${reason})`;
      return null;
    }
  }

  return {
    findState,
    open() {
      const group = openGroup();
      const { memory, tasks: counted } = findState();
      const limits = {
        group: group?.path ?? null,
        dataBytes: memory?.by === "data" ? memory.bytes : null,
        userTasks: counted?.by === "user" ? counted.count : null,
      };
      return { limits, group };
    },
    findGroupsFolder: () => (typeof root === "string" ? null : root.mount),
    sweep: async () => (typeof root === "string" ? 0 : await sweepGroups(system, root)),
  };
}

/** Half of the memory that the hub may use, so that one program leaves memory for the hub. */
function findMemoryBytes(system: GroupSystem, root: GroupRoot | string): number {
  const own = typeof root === "string" ? Number.NaN : readNumber(system, `${root.base}/memory.max`);
  const all = Math.min(totalmem(), Number.isNaN(own) ? Number.POSITIVE_INFINITY : own);
  return Math.min(Math.floor(all / 2), memoryBytesMax);
}

function readNumber(system: GroupSystem, path: string): number {
  try {
    return Number(system.read(path).trim());
  } catch {
    return Number.NaN;
  }
}
