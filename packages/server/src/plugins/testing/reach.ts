import { closeSync, openSync, readSync, writeFileSync } from "node:fs";

export type Goals = { files: string[]; pid: number; write: string };

/** Tries what a hostile program would: reads files, signals a process, and writes a file. */
export function reach({ files, pid, write }: Goals): Record<string, string> {
  const results = files.map((path) => [path, attempt(() => readSome(path))] as const);
  return {
    ...Object.fromEntries(results),
    signal: attempt(() => {
      process.kill(pid, 0);
      return "sent";
    }),
    write: attempt(() => {
      writeFileSync(write, "mine");
      return "written";
    }),
  };
}

function readSome(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(64);
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function attempt(action: () => string): string {
  try {
    return action();
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
  }
}
