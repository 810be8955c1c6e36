import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, posix, win32 } from "node:path";

/** Where programs of the user keep their files. A record, so that tests can try each platform. */
export type Machine = {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Joins paths as this platform writes them. */
  join(...parts: string[]): string;
  /** The names in a folder; none if it does not exist. */
  list(folder: string): string[];
};

export function toMachine(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Machine {
  const isWindows = platform === "win32";
  const home = (isWindows ? env.USERPROFILE : env.HOME) || homedir();
  return { platform, home, env, join: isWindows ? win32.join : posix.join, list };
}

/** The value of a variable that names a folder, or the default. A relative path is ignored. */
export function readFolder({ env }: Machine, variable: string, fallback: string): string {
  const value = env[variable];
  return value && (isAbsolute(value) || win32.isAbsolute(value)) ? value : fallback;
}

/** The folder of configuration files by the XDG specification. Some clients use it everywhere. */
export function findXdgConfigFolder(machine: Machine): string {
  return readFolder(machine, "XDG_CONFIG_HOME", machine.join(machine.home, ".config"));
}

/** The folder in which desktop programs have one folder each. */
export function findAppFolder(machine: Machine): string {
  const { platform, home, join } = machine;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") {
    return readFolder(machine, "APPDATA", join(home, "AppData", "Roaming"));
  }
  return findXdgConfigFolder(machine);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
