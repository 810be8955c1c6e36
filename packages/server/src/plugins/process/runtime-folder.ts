import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  findProcess,
  type ProcessIdentity,
  readProcessSpace,
} from "../../lib/process/process-identity.ts";
import { runtimePrefix } from "../../lib/text/hide-paths.ts";
import { markVariable } from "./end-marked.ts";

/** Identifies the hub that owns the folder. */
export const ownerFile = "owner.json";
/** Identifies the plugin's process, in the process's folder. */
export const processFile = "process.json";

export type OwnerRecord = ProcessIdentity & { space: string; mark: string };

/** This hub's private folder for the sockets and temporary files of its plugins. */
export type RuntimeFolder = {
  path: string;
  /** Begins the marks of all its programs. */
  mark: string;
  openProcessFolder(): ProcessFolder;
  remove(): void;
};

export type ProcessFolder = {
  /** The only folder here that the program changes. `tmp` is in it. */
  socket: string;
  tmp: string;
  /** Marks the program and all that it starts: a later hub, too, ends what has left its process group. */
  mark: string;
  /** The variable with the mark. */
  env: Readonly<Record<string, string>>;
  /** The folders of the hub that lead to it. */
  way: string[];
  /** Records the process, so that a later hub can end it if this one dies. */
  record(pid: number, isLaunched?: boolean): void;
  remove(): void;
};

/** A socket path has at most 107 bytes on Linux and 103 on macOS; the plugin uses the rest. */
const pathBytesMax = 64;

/** Created when the first plugin starts. */
export function createRuntimeFolder(systemTmp: string): RuntimeFolder {
  const tmp = Buffer.byteLength(systemTmp) > pathBytesMax - 16 ? "/tmp" : systemTmp;
  // mkdtemp creates folders with mode 0700.
  const path = mkdtempSync(join(tmp, runtimePrefix));
  const owner = findProcess(process.pid) ?? { pid: process.pid, startedAt: "", program: null };
  const mark = `${randomUUID()}.`;
  const record: OwnerRecord = { ...owner, space: readProcessSpace(), mark };
  writeFileSync(join(path, ownerFile), JSON.stringify(record), { mode: 0o600 });
  let count = 0;
  return {
    path,
    mark,
    openProcessFolder() {
      count += 1;
      return openProcessFolder(join(path, String(count)), `${mark}${count}.`);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function openProcessFolder(path: string, mark: string): ProcessFolder {
  const socket = join(path, "run");
  const tmp = join(socket, "tmp");
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  return {
    socket,
    tmp,
    mark,
    env: { [markVariable]: mark },
    way: [dirname(path), path],
    record(pid, isLaunched = false) {
      const found = findProcess(pid);
      if (found === null) return;
      // The launcher becomes another program.
      const identity = isLaunched ? { ...found, program: null } : found;
      // Out of the program's reach: a later hub ends the process that the record names.
      writeFileSync(join(path, processFile), JSON.stringify(identity), { mode: 0o600 });
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
