import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import type { SelfCommand } from "@hub/server/lib/process/self-command.ts";
import { toUsageError } from "../errors/usage-error.ts";
import type { Terminal } from "../process/terminal.ts";
import { parseEnvFile } from "./parse-env-file.ts";
import { readUnit } from "./read-unit.ts";

type Deps = {
  /** Where the unit may be; the first one that exists counts. */
  unitFiles: readonly string[];
  self: SelfCommand;
  terminal: Pick<Terminal, "env">;
  /** The user of this process; null on systems without users. */
  uid: number | null;
};

/**
 * Runs a command of the hub with the settings of an installed service, as the owner of its data folder. Returns the
 * exit code. Throws a usage error if the service or its settings cannot be read.
 */
export async function runAsService(deps: Deps, command: readonly string[]): Promise<number> {
  const settings = await readSettings(deps.unitFiles);
  const owner = await findOwner(deps, settings);
  const { self, terminal } = deps;
  const shell = Object.entries(terminal.env).filter(([name]) => !name.startsWith("HUB_"));
  // Files that the command names are relative to this folder.
  const args = self.args.filter((arg) => !arg.startsWith("--cwd="));
  const child = spawn(self.command, [...args, ...command], {
    stdio: "inherit",
    env: { ...Object.fromEntries(shell), ...self.env, ...settings.env },
    ...owner,
  });
  // The command gets the signals of the terminal too, and decides.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", (failure) => {
        const isClosed = owner !== null && Object(failure).code === "EACCES";
        reject(isClosed ? refuseProgram(self.command) : failure);
      });
      child.on("exit", (code, signal) => resolve(code ?? toSignalCode(signal)));
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}

function refuseProgram(program: string) {
  return toUsageError(
    `The owner of the service's data folder cannot run ${program}. Put the program where all users can run it, such as /usr/local/bin.`,
  );
}

/** As a shell tells it. */
function toSignalCode(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

type Settings = { env: Record<string, string>; hasDynamicUser: boolean };

async function readSettings(unitFiles: readonly string[]): Promise<Settings> {
  const file = unitFiles.find((path) => existsSync(path));
  if (file === undefined) {
    throw toUsageError(
      `No service of the hub is installed: there is no ${unitFiles.join(" and no ")}. Install it with hub service install, or set HUB_DATA_DIR as the server has it.`,
    );
  }
  const texts = [await readFile(file, "utf8"), ...(await readDropIns(unitFiles))];
  const { env, files, hasDynamicUser } = readUnit(texts.join("\n"));
  let all = env;
  for (const { path, isOptional } of files) {
    all = { ...all, ...parseEnvFile(await readSettingsFile(path, isOptional)) };
  }
  return { env: all, hasDynamicUser };
}

/** Changes of the administrator to a unit, in the order in which systemd reads them: by name. */
async function readDropIns(unitFiles: readonly string[]): Promise<string[]> {
  const byName = new Map<string, string>();
  // A folder of the administrator hides the same name of a package.
  for (const folder of unitFiles.map((path) => `${path}.d`).toReversed()) {
    if (!existsSync(folder)) continue;
    for (const name of await readdir(folder)) {
      if (name.endsWith(".conf")) byName.set(name, join(folder, name));
    }
  }
  const names = [...byName.keys()].sort();
  return await Promise.all(names.map((name) => readFile(byName.get(name) ?? "", "utf8")));
}

async function readSettingsFile(path: string, isOptional: boolean): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (failure) {
    const { code } = Object(failure);
    if (code === "ENOENT" && isOptional) return "";
    if (code === "EACCES") {
      throw toUsageError(
        `This user cannot read the settings of the service in ${path}. Run the same command with sudo.`,
      );
    }
    throw toUsageError(`The settings of the service in ${path} cannot be read: ${code}.`);
  }
}

/** Root works as the owner of the data folder, so that the service can use what the command writes. */
async function findOwner(
  { uid }: Deps,
  { env, hasDynamicUser }: Settings,
): Promise<{ uid: number; gid: number } | null> {
  const dataDir = env.HUB_DATA_DIR;
  if (dataDir === undefined) {
    throw toUsageError(
      "The service's unit and its settings name no HUB_DATA_DIR, so its data folder is not known. Add Environment=HUB_DATA_DIR=FOLDER to the unit, or run the command itself with --data-dir.",
    );
  }
  if (uid !== 0) return null;
  if (hasDynamicUser) {
    throw toUsageError(
      "The service has DynamicUser=yes: only its own processes reach its data folder. Give it a user of its own with User= and Group= in place of DynamicUser=. If its database is on PostgreSQL, run the command itself with HUB_DATABASE_URL and HUB_ENC_KEY as the service has them, and with --data-dir for a folder of your own.",
    );
  }
  try {
    const owner = await stat(dataDir);
    return { uid: owner.uid, gid: owner.gid };
  } catch (failure) {
    throw toUsageError(
      `The data folder of the service, ${dataDir}, cannot be read: ${Object(failure).code}. Start the service once.`,
    );
  }
}
