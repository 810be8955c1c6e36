import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { findAccount } from "./find-account.ts";
import { findKeptFiles } from "./find-kept-files.ts";
import { findLauncher } from "./find-launcher.ts";
import { findLandlockVersion } from "./landlock.ts";
import {
  type Account,
  type FenceBreach,
  type FencePlan,
  type FenceProbe,
  type LaunchPlan,
  type ProgramFolders,
  planVariable,
  variablePrefix,
} from "./launch-plan.ts";
import { openWay } from "./open-way.ts";
import {
  createProgramLimits,
  type LimitSettings,
  type LimitsState,
  type ProgramLimits,
} from "./program-limits.ts";
import { openSystemCalls } from "./system-calls.ts";

/** A program of others: of a plugin, or of a row. */
export type OutsideProgram = {
  /** A path, or a name that is looked up in `PATH` of its environment. */
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  folders: ProgramFolders;
};

/** The start of a program: what Bun runs. */
export type ProgramStart = Pick<OutsideProgram, "command" | "args" | "env" | "cwd"> & {
  /** Ends what is left of the program after its end. */
  release?: () => Promise<void>;
};

/** Keeps programs of others away from the hub's own files and processes. */
export type Fence = {
  findState(): FenceState;
  /** Whether a launcher starts and then becomes each program. */
  launches(): boolean;
  /** Whether something keeps programs away from the hub. */
  separates(): boolean;
  /** Ends what programs of dead hubs have left in their cgroups. Returns how many had left something. */
  sweep(): Promise<number>;
  /** Starts a process in the fence that tries what no program may do. Null if there is no fence. */
  probe(what: FenceProbe): Promise<FenceBreach> | null;
  /** Throws an Error if the program or its folder does not exist, or if it may not run without a fence. */
  enclose(program: OutsideProgram): ProgramStart;
};

/** What keeps programs away from the hub. Both may be in force. */
export type FenceState = {
  /** The version of Landlock; 0 if this system has none. */
  landlock: number | "off";
  /** The user who runs programs; null for the hub's own. */
  user: Account | null;
  /** Why no program starts, as a sentence without its full stop. */
  fault: string | null;
  /** Null if programs have no limits. */
  limits: LimitsState | null;
};

export type FenceDeps = {
  dataDir: string;
  mode: "auto" | "required" | "off";
  /** HUB_PLUGIN_USER. */
  user?: string | null;
  /** Null for no limits. */
  limits?: LimitSettings | null;
  /** Replaced in tests. */
  findVersion?(): number;
};

export function toFenceDeps(
  config: Pick<Config, "dataDir" | "pluginFence" | "pluginUser" | LimitName>,
): FenceDeps {
  const { dataDir, pluginFence: mode, pluginUser: user } = config;
  const limits = {
    memoryBytes: config.pluginMemoryBytes,
    dataBytes: config.pluginDataBytes,
    tasks: config.pluginTasksMax,
  };
  return { dataDir, mode, user, limits };
}

type LimitName = "pluginMemoryBytes" | "pluginDataBytes" | "pluginTasksMax";

const probeMsMax = 10_000;

/** Programs are fenced by a launcher, which the hub starts in their place. */
export function createFence(deps: FenceDeps): Fence {
  let found: Omit<FenceState, "limits"> | null = null;
  let limits: ProgramLimits | null | undefined;

  function findLimits(hasUser: boolean): ProgramLimits | null {
    if (limits === undefined) limits = openLimits(deps, hasUser);
    return limits;
  }

  function findState(): FenceState {
    found ??= toState(deps);
    return { ...found, limits: findLimits(found.user !== null)?.findState() ?? null };
  }

  const separates = () => {
    const { landlock, user } = findState();
    return user !== null || (landlock !== "off" && landlock > 0);
  };
  const launches = () => {
    const state = findState().limits;
    return separates() || (state !== null && (state.memory !== null || state.tasks !== null));
  };

  return {
    findState,
    launches,
    separates,
    sweep: async () => (await findLimits(findState().user !== null)?.sweep()) ?? 0,
    probe: (what) => (separates() ? runProbe(deps.dataDir, findState(), what) : null),
    enclose(program) {
      const { fault } = findState();
      if (fault !== null) throw new Error(fault);
      if (!launches()) return program;
      const state = findState();
      return toLaunch(program, deps.dataDir, state, findLimits(state.user !== null));
    },
  };
}

/** Without a fence, programs are started as they are. */
function openLimits({ mode, limits = null }: FenceDeps, hasUser: boolean): ProgramLimits | null {
  if (limits === null || mode === "off" || process.platform !== "linux") return null;
  return openSystemCalls() === null ? null : createProgramLimits({ settings: limits, hasUser });
}

function toState({
  mode,
  user = null,
  findVersion = findVersionHere,
}: FenceDeps): Omit<FenceState, "limits"> {
  const landlock = mode === "off" ? "off" : findVersion();
  if (user !== null) return { landlock, ...toUser(user) };
  const fault =
    landlock === 0 && mode === "required"
      ? "This system has no fence for programs, and HUB_PLUGIN_FENCE is required"
      : null;
  return { landlock, user: null, fault };
}

/** A user who cannot be had is a fault: programs must not run as the hub's user then. */
function toUser(text: string): Pick<FenceState, "user" | "fault"> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return { user: null, fault: "HUB_PLUGIN_USER needs a hub that runs as root on Linux" };
  }
  const user = findAccount(text);
  const fault = `HUB_PLUGIN_USER is ${text}, which is no user of this machine other than root`;
  return { user, fault: user === null ? fault : null };
}

function findVersionHere(): number {
  if (process.platform !== "linux") return 0;
  const calls = openSystemCalls();
  return calls === null ? 0 : findLandlockVersion(calls);
}

function toLaunch(
  program: OutsideProgram,
  dataDir: string,
  state: FenceState,
  limits: ProgramLimits | null,
): ProgramStart {
  const { command, args, env, cwd } = program;
  const file = findFile(program);
  if (!statSync(cwd).isDirectory()) throw new Error("its folder is not a folder");
  const toReal = (paths: readonly string[]) => paths.map((path) => realpathSync(path));
  const { read, written, way } = program.folders;
  const folders = { read: toReal(read), written: toReal(written), way };
  const { user } = state;
  if (user !== null) openWay(realpathSync(dataDir), [file, ...args], folders, user);
  const opened = limits?.open() ?? null;
  const groups = limits?.findGroupsFolder() ?? null;
  const landlock = toPlan(dataDir, state, folders, groups === null ? [] : [groups]);
  const plan = { file, cwd, landlock, user, limits: opened?.limits ?? null, probe: null };
  const start = startLauncher(plan, [command, ...args], env);
  return { ...start, release: async () => await opened?.group?.end() };
}

function startLauncher(
  plan: LaunchPlan,
  args: readonly string[],
  env: OutsideProgram["env"],
): ProgramStart {
  const launcher = findLauncher();
  const variables = Object.entries(env).map(
    ([name, value]) => [`${variablePrefix}${name}`, value] as const,
  );
  return {
    command: launcher.command,
    args: [...launcher.args, ...args],
    env: {
      ...launcher.env,
      ...Object.fromEntries(variables),
      [planVariable]: JSON.stringify(plan),
    },
    cwd: "/",
  };
}

async function runProbe(
  dataDir: string,
  state: FenceState,
  probe: FenceProbe,
): Promise<FenceBreach> {
  const landlock = toPlan(dataDir, state, { read: [], written: [] });
  const { command, args, env, cwd } = startLauncher(
    { file: "", cwd: "/", landlock, user: state.user, limits: null, probe },
    [],
    {},
  );
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    timeout: probeMsMax,
    // A small container may have no /dev/null.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  child.stdin.end();
  const [output, reason] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(reason.trim() || "The launcher did not end.");
  // Safe: the launcher has written it.
  return JSON.parse(output);
}

function toPlan(
  dataDir: string,
  { landlock }: FenceState,
  { read, written }: Pick<ProgramFolders, "read" | "written">,
  alsoKept: readonly string[] = [],
): FencePlan | null {
  if (landlock === "off" || landlock === 0) return null;
  const hidden = [...listOwn(dataDir), ...listDisks()];
  return { hidden, kept: [...findKeptFiles(), ...alsoKept], read, written };
}

/** The data folder, and what links in it make of a mounted secret. */
function listOwn(dataDir: string): string[] {
  const files = ["keys.json", "hub.sqlite"].map((name) => join(dataDir, name));
  const found = [dataDir, ...files.filter((path) => existsSync(path))];
  return [...new Set(found.map((path) => realpathSync(path)))];
}

/** A user who may read a disk would find all files there. */
function listDisks(): string[] {
  if (!existsSync("/dev")) return [];
  const entries = readdirSync("/dev", { withFileTypes: true });
  return entries.filter((entry) => entry.isBlockDevice()).map(({ name }) => join("/dev", name));
}

/** The launcher does not look names up: errors about the command are those of a start without it. */
function findFile({ command, env, cwd }: OutsideProgram): string {
  if (isAbsolute(command)) {
    if (!statSync(command).isDirectory()) return command;
  } else if (command.includes("/")) {
    return resolve(cwd, command);
  }
  const found = Bun.which(command, { PATH: env.PATH ?? "", cwd });
  if (found === null) throw new Error(`Executable not found in $PATH: "${command}"`);
  return isAbsolute(found) ? found : join(cwd, found);
}
