import { devNull } from "node:os";
import { dirname } from "node:path";

/** A command with absolute paths, which works in any folder. */
export type SelfCommand = { command: string; args: string[]; env: Record<string, string> };

/** Returns the command that starts this program again. */
export function findSelfCommand(): SelfCommand {
  // In a compiled program, the script has a virtual path inside the executable.
  const isCompiled = /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(Bun.main);
  return isCompiled
    ? { command: process.execPath, args: [], env: {} }
    : toSourceCommand(Bun.main, dirname(Bun.main));
}

/**
 * Returns the command that starts a part of this program as a process of its own, by a hidden command.
 * `file` is the part's source, beside its caller.
 */
export function findPartCommand(name: string, file: string): SelfCommand {
  // From sources, the whole program takes longer to start than the one file.
  const isSource = import.meta.path.endsWith(".ts") && !import.meta.path.startsWith("/$bunfs/");
  const self = isSource ? toSourceCommand(file, dirname(file)) : findSelfCommand();
  return { ...self, args: [...self.args, name] };
}

/**
 * Returns the command that runs an entry file from source, with `folder` as its working folder. By
 * default, Bun would load `bunfig.toml` and the modules that it names, `.env` and `tsconfig.json`,
 * which can replace the entry, from the folder where a client starts the command.
 */
export function toSourceCommand(entry: string, folder: string): SelfCommand {
  return toBunCommand([`--cwd=${folder}`, `--config=${devNull}`, "--no-env-file", entry]);
}

/**
 * Returns the command that runs one bundled file, in any folder. Configuration and `tsconfig.json` of that
 * folder, of the file's folder and of those above have no effect, and Bun installs no missing modules.
 */
export function toBundleCommand(file: string): SelfCommand {
  const { command, args, env } = toBunCommand([
    ...[`--config=${devNull}`, `--tsconfig-override=${devNull}`],
    ...["--no-env-file", "--no-install", file],
  ]);
  // Otherwise a file that the program has changed in its home could be run in place of the bundle.
  return { command, args, env: { ...env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" } };
}

/** Returns the command that runs Bun. This program has it in it. */
export function toBunCommand(args: string[]): SelfCommand {
  // A compiled program acts as Bun with this variable. It may have been started so itself.
  const actsAsBun = process.env.BUN_BE_BUN === "1" || !/\bbunx?(?:\.exe)?$/.test(process.execPath);
  return { command: process.execPath, args, env: actsAsBun ? { BUN_BE_BUN: "1" } : {} };
}
