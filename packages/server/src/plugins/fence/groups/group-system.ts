import { dlopen, ptr } from "bun:ffi";
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { listLibcNames } from "../../../lib/process/libc-names.ts";

/** What the hub needs of the system for cgroups. Replaced in tests. All throw if the system refuses it. */
export type GroupSystem = {
  read(path: string): string;
  write(path: string, text: string): void;
  make(path: string): void;
  remove(path: string): void;
  /** The names in a folder. */
  list(path: string): string[];
  canWrite(path: string): boolean;
  /** Whether a service manager has given this cgroup to the hub. */
  isGiven(path: string): boolean;
  isRoot: boolean;
  /** The start time of the process with this id; null if there is none. */
  findStart(pid: number): string | null;
  pause(): Promise<void>;
};

const pauseMs = 20;

export function openGroupSystem(findStart: GroupSystem["findStart"]): GroupSystem {
  return {
    read: (path) => readFileSync(path, "utf8"),
    write: (path, text) => writeFileSync(path, text),
    make: (path) => mkdirSync(path),
    remove: (path) => rmdirSync(path),
    list: (path) => readdirSync(path),
    canWrite(path) {
      try {
        accessSync(path, constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    isGiven: (path) =>
      ["user.delegate", "trusted.delegate"].some((name) => hasAttribute(path, name)),
    isRoot: process.getuid?.() === 0,
    findStart,
    pause: () => Bun.sleep(pauseMs),
  };
}

const types = { getxattr: { args: ["ptr", "ptr", "ptr", "u64"], returns: "i64" } } as const;

/** systemd sets it to `1`. */
function hasAttribute(path: string, name: string): boolean {
  for (const library of listLibcNames()) {
    try {
      const { getxattr } = dlopen(library, types).symbols;
      const value = new Uint8Array(8);
      const texts = [path, name].map((text) => Buffer.from(`${text}\0`));
      const [first, second] = texts.map((text) => ptr(text));
      const length = Number(getxattr(first ?? null, second ?? null, ptr(value), value.length));
      return length > 0 && String.fromCharCode(value[0] ?? 0) === "1";
    } catch {
      // The next one.
    }
  }
  return false;
}
