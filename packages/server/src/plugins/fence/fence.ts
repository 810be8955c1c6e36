import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { HubError } from "../../errors.ts";
import { findKeptFiles } from "./find-kept-files.ts";
import { findLauncher } from "./find-launcher.ts";
import { findLandlockVersion } from "./landlock.ts";
import {
  type FenceBreach,
  type FencePlan,
  type FenceProbe,
  type LaunchPlan,
  planVariable,
  variablePrefix,
} from "./launch-plan.ts";
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

/** What the program needs of the hub's folders: the only ones there that it can reach. */
export type ProgramFolders = { read: readonly string[]; written: readonly string[] };

/** The start of a program: what Bun runs. */
export type ProgramStart = Pick<OutsideProgram, "command" | "args" | "env" | "cwd">;

/** Keeps programs of others away from the hub's own files and processes. */
export type Fence = {
  findState(): FenceState;
  /** Whether a launcher starts and then becomes each program. */
  launches(): boolean;
  /** Starts a process in the fence that tries what no program may do. Null if there is no fence. */
  probe(what: FenceProbe): Promise<FenceBreach> | null;
  /** Throws an Error if the program or its folder does not exist, or if it may not run without a fence. */
  enclose(program: OutsideProgram): ProgramStart;
};

/** `off` by a setting, `missing` in this system. */
export type FenceState = { kind: "landlock"; version: number } | { kind: "off" | "missing" };

export type FenceDeps = {
  dataDir: string;
  mode: "auto" | "required" | "off";
  /** Replaced in tests. */
  findVersion?(): number;
};

const probeMsMax = 10_000;

/** Programs are fenced by a launcher, which the hub starts in their place. */
export function createFence({ dataDir, mode, findVersion = findVersionHere }: FenceDeps): Fence {
  let state: FenceState | null = null;

  function findState(): FenceState {
    state ??= mode === "off" ? { kind: "off" } : toState(findVersion());
    return state;
  }

  const launches = () => findState().kind === "landlock";

  return {
    findState,
    launches,
    probe: (what) => (launches() ? runProbe(dataDir, what) : null),
    enclose(program) {
      if (findState().kind === "missing" && mode === "required") {
        throw new HubError(
          "unavailable",
          "This system cannot fence programs, and HUB_PLUGIN_FENCE is required",
        );
      }
      return launches() ? toLaunch(program, dataDir) : program;
    },
  };
}

function findVersionHere(): number {
  if (process.platform !== "linux") return 0;
  const calls = openSystemCalls();
  return calls === null ? 0 : findLandlockVersion(calls);
}

function toState(version: number): FenceState {
  return version === 0 ? { kind: "missing" } : { kind: "landlock", version };
}

function toLaunch(program: OutsideProgram, dataDir: string): ProgramStart {
  const { command, args, env, cwd, folders } = program;
  const file = findFile(program);
  if (!statSync(cwd).isDirectory()) throw new Error("its folder is not a folder");
  const plan: LaunchPlan = { file, cwd, landlock: toPlan(dataDir, folders), probe: null };
  return startLauncher(plan, [command, ...args], env);
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

async function runProbe(dataDir: string, probe: FenceProbe): Promise<FenceBreach> {
  const landlock = toPlan(dataDir, { read: [], written: [] });
  const { command, args, env, cwd } = startLauncher(
    { file: "", cwd: "/", landlock, probe },
    [],
    {},
  );
  const child = Bun.spawn([command, ...args], {
    ...{ env, cwd, timeout: probeMsMax },
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

function toPlan(dataDir: string, { read, written }: ProgramFolders): FencePlan {
  return {
    hidden: [...listOwn(dataDir), ...listDisks()],
    kept: findKeptFiles(),
    read: read.map((path) => realpathSync(path)),
    written: written.map((path) => realpathSync(path)),
  };
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
