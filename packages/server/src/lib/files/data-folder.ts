import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, win32 } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The nearest folder with a package.json, from `start` upwards: a checkout or a project. */
export function findProjectFolder(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** This platform's folder for a program's user data. */
export function findUserDataFolder(
  env: Environment,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = env.HOME || env.USERPROFILE || homedir();
  if (platform === "darwin") return join(home, "Library", "Application Support", name);
  if (platform === "win32")
    return join(readFolder(env.LOCALAPPDATA) ?? join(home, "AppData", "Local"), name);
  return join(readFolder(env.XDG_DATA_HOME) ?? join(home, ".local", "share"), name);
}

/** This platform's folder for files of a program that can be made again. */
export function findUserCacheFolder(
  env: Environment,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = env.HOME || env.USERPROFILE || homedir();
  if (platform === "darwin") return join(home, "Library", "Caches", name);
  if (platform === "win32") return join(findUserDataFolder(env, name, platform), "Cache");
  return join(readFolder(env.XDG_CACHE_HOME) ?? join(home, ".cache"), name);
}

/** A relative path is ignored, as the XDG specification says. It could lie in a stranger's project. */
function readFolder(value: string | undefined): string | null {
  return value && (isAbsolute(value) || win32.isAbsolute(value)) ? value : null;
}
