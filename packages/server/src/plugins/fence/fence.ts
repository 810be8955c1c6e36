import type { Config } from "../../config.ts";
import { type FenceState, findFenceState, type StateDeps } from "./find-fence-state.ts";
import type { FenceBreach, FenceProbe } from "./launch-plan.ts";
import { launchProgram } from "./launch-program.ts";
import type { OutsideProgram, ProgramStart } from "./outside-program.ts";
import { probeFence } from "./probe-fence.ts";
import { createProgramLimits, type LimitSettings, type ProgramLimits } from "./program-limits.ts";
import { openSystemCalls } from "./system-calls.ts";

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

export type FenceDeps = StateDeps & {
  dataDir: string;
  /** Null for no limits. */
  limits?: LimitSettings | null;
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

/** Programs are fenced by a launcher, which the hub starts in their place. */
export function createFence(deps: FenceDeps): Fence {
  let found: Omit<FenceState, "limits"> | null = null;
  let limits: ProgramLimits | null | undefined;

  function findLimits(hasUser: boolean): ProgramLimits | null {
    if (limits === undefined) limits = openLimits(deps, hasUser);
    return limits;
  }

  function findState(): FenceState {
    found ??= findFenceState(deps);
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
    probe: (what) => (separates() ? probeFence(deps.dataDir, findState(), what) : null),
    enclose(program) {
      const { fault } = findState();
      if (fault !== null) throw new Error(fault);
      if (!launches()) return program;
      const state = findState();
      return launchProgram(program, deps.dataDir, state, findLimits(state.user !== null));
    },
  };
}

/** Without a fence, programs are started as they are. */
function openLimits({ mode, limits = null }: FenceDeps, hasUser: boolean): ProgramLimits | null {
  if (limits === null || mode === "off" || process.platform !== "linux") return null;
  return openSystemCalls() === null ? null : createProgramLimits({ settings: limits, hasUser });
}
