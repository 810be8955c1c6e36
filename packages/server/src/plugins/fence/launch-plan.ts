/**
 * What the launcher does. It gets it as JSON in its environment, and the variables of the program with a
 * prefix, because its own environment must not be the program's: Bun reads some variables at its start.
 */
export type LaunchPlan = {
  /** The file to run; its arguments, the name first, are those of the launcher. */
  file: string;
  cwd: string;
  /** Null if the system has no Landlock or it is off. */
  landlock: FencePlan | null;
  /** The user who runs the program; null for the hub's own. */
  user: Account | null;
  /** Null if it has no limits. */
  limits: LaunchLimits | null;
  /** Instead of running the file, tries what no program may do, and prints what it could do. */
  probe: FenceProbe | null;
};

/** What the program may take of the machine. */
export type LaunchLimits = {
  /** The folder of its cgroup, which limits all its processes together. Null if there is none. */
  group: string | null;
  /** RLIMIT_DATA: memory that each of its processes may reserve. */
  dataBytes: number | null;
  /** RLIMIT_NPROC: tasks of its user together. */
  userTasks: number | null;
};

/** Files to read, and a process to signal. */
export type FenceProbe = { files: readonly string[]; pid: number };

/** What a program could do in its fence: nothing, if the fence holds. */
export type FenceBreach = { files: string[]; signals: boolean };

/** Numbers of a user and of the only group that the program has. */
export type Account = { uid: number; gid: number };

/** What the program needs of the hub's folders: the only ones there that it can reach. */
export type ProgramFolders = {
  read: readonly string[];
  written: readonly string[];
  /** Folders outside the data folder that lead to them. */
  way: readonly string[];
};

/** Absolute paths without links. */
export type FencePlan = {
  /** Folders and files that the program can neither read nor change. */
  hidden: readonly string[];
  /** Folders and files that it can read but not change. */
  kept: readonly string[];
  /** Folders of the program, also in hidden ones. */
  read: readonly string[];
  written: readonly string[];
};

export const planVariable = "HUB_LAUNCH_PLAN";
export const variablePrefix = "HUB_LAUNCH_ENV_";

/** The exit code of a launcher that could not start the program. The reason is on stderr. */
export const launchFailureCode = 120;

/** What follows an exit code in a sentence. A program may end with the launcher's code itself. */
export function describeLaunchFailure(code: number | null): string {
  return code === launchFailureCode ? ", which is the hub's if it could not start it" : "";
}
