import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runtimePrefix } from "../../lib/hide-paths.ts";
import { findProcess, type ProcessIdentity, readProcessSpace } from "./process-identity.ts";

/** The hub whose folder it is. */
export const ownerFile = "owner.json";
/** The plugin's process in its own folder. */
export const processFile = "process.json";

export type OwnerRecord = ProcessIdentity & { space: string };

/** A place of this hub's own for the sockets and temporary files of its plugins. */
export type RuntimeFolder = {
  path: string;
  openProcessFolder(): ProcessFolder;
  remove(): void;
};

export type ProcessFolder = {
  socket: string;
  tmp: string;
  /** Remembers the process, so that a later hub can end it if this one dies. */
  record(pid: number): void;
  remove(): void;
};

/** A socket's path has at most 107 bytes (Linux; 103 on macOS); so many are the plugin's. */
const pathBytesMax = 64;

/** Made when the first plugin starts: most commands never need it. */
export function createRuntimeFolder(systemTmp: string): RuntimeFolder {
  const tmp = Buffer.byteLength(systemTmp) > pathBytesMax - 16 ? "/tmp" : systemTmp;
  // Nobody else may look into it: mkdtemp makes it so.
  const path = mkdtempSync(join(tmp, runtimePrefix));
  const owner = findProcess(process.pid) ?? { pid: process.pid, startedAt: "", program: null };
  const record: OwnerRecord = { ...owner, space: readProcessSpace() };
  writeFileSync(join(path, ownerFile), JSON.stringify(record), { mode: 0o600 });
  let count = 0;
  return {
    path,
    openProcessFolder() {
      count += 1;
      return openProcessFolder(join(path, String(count)));
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function openProcessFolder(path: string): ProcessFolder {
  const tmp = join(path, "tmp");
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  return {
    socket: path,
    tmp,
    record(pid) {
      const identity = findProcess(pid);
      if (identity === null) return;
      writeFileSync(join(path, processFile), JSON.stringify(identity), { mode: 0o600 });
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
