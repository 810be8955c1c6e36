import { dlopen, ptr, read } from "bun:ffi";
import { getSystemErrorName } from "node:util";
import { listLibcNames } from "../../lib/process/libc-names.ts";

/** Bytes or numbers whose address is passed. */
type Memory = Uint8Array | BigUint64Array;

/** A limit that is set right before the other program, with nothing in between. */
export type LastCall = { number: number; kind: number; limit: BigUint64Array };

/** Calls of the C library for which Bun has no function. Only for Linux. */
export type SystemCalls = {
  /** Returns a negative error number if it fails. */
  call(number: number, ...args: readonly (number | bigint | Memory)[]): number;
  /** The default handling of a signal. */
  resetSignal(signal: number): void;
  prctl(option: number, value: number): number;
  /** Opens a path for reference only. Returns a negative error number if it fails. */
  openPath(path: string): number;
  close(descriptor: number): void;
  /** `capget` and `capset`. They return a negative error number if they fail. */
  getCapabilities(header: Uint32Array, sets: Uint32Array): number;
  setCapabilities(header: Uint32Array, sets: Uint32Array): number;
  /** Returns only if it fails, with the error number. */
  execute(
    file: string,
    args: readonly string[],
    env: readonly string[],
    last: LastCall | null,
  ): number;
};

/** Null if the C library cannot be loaded. */
export function openSystemCalls(): SystemCalls | null {
  for (const name of listLibcNames()) {
    try {
      return toCalls(dlopen(name, types).symbols);
    } catch {
      // The next one.
    }
  }
  return null;
}

/** `O_PATH | O_NOFOLLOW | O_CLOEXEC`; the second one differs on arm64. */
const openFlags = 0o10000000 | (process.arch === "arm64" ? 0o100000 : 0o400000) | 0o2000000;

const types = {
  syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
  signal: { args: ["i32", "ptr"], returns: "ptr" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  open: { args: ["ptr", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  capget: { args: ["ptr", "ptr"], returns: "i32" },
  capset: { args: ["ptr", "ptr"], returns: "i32" },
  execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

function toCalls({
  syscall,
  signal,
  prctl,
  open,
  close,
  capget,
  capset,
  execve,
  __errno_location,
}: ReturnType<typeof dlopen<typeof types>>["symbols"]): SystemCalls {
  const readError = () => {
    const place = __errno_location();
    return place === null ? 0 : read.i32(place, 0);
  };
  const orError = (result: number) => (result < 0 ? -readError() : result);
  return {
    call(number, ...args) {
      const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = args.map((arg) =>
        BigInt(typeof arg === "object" ? ptr(arg) : arg),
      );
      return orError(Number(syscall(BigInt(number), a, b, c, d, e)));
    },
    resetSignal: (number) => void signal(number, null),
    prctl: (option, value) => orError(prctl(option, BigInt(value), 0n, 0n, 0n)),
    openPath: (path) => orError(open(ptr(toText(path)), openFlags)),
    close: (descriptor) => void close(descriptor),
    getCapabilities: (header, sets) => orError(capget(ptr(header), ptr(sets))),
    setCapabilities: (header, sets) => orError(capset(ptr(header), ptr(sets))),
    execute(file, args, env, last) {
      const texts = [...args, ...env].map(toText);
      const list = (part: readonly Uint8Array[]) =>
        new BigUint64Array([...part.map((text) => BigInt(ptr(text))), 0n]);
      const [argv, envp] = [list(texts.slice(0, args.length)), list(texts.slice(args.length))];
      const path = toText(file);
      const [place, words, variables] = [ptr(path), ptr(argv), ptr(envp)];
      if (last !== null) {
        const [number, kind] = [BigInt(last.number), BigInt(last.kind)];
        const limit = BigInt(ptr(last.limit));
        if (syscall(number, 0n, kind, limit, 0n, 0n) < 0) return readError();
      }
      execve(place, words, variables);
      return readError();
    },
  };
}

function toText(text: string): Uint8Array {
  return Buffer.from(`${text}\0`);
}

/** Throws an Error if a system call failed: it returned a negative error number. */
export function checkCall(name: string, result: number): void {
  if (result < 0) throw new Error(`${name} failed with ${getSystemErrorName(result)}`);
}
