import { setPriority } from "node:os";
import { join } from "node:path";
import { integrityCommand } from "../../lib/process/part-commands.ts";
import { findPartCommand } from "../../lib/process/self-command.ts";

/** Of a database file. */
export type Integrity = {
  /** Epoch ms. */
  checkedAt: number;
  /** What is damaged, as SQLite says it. */
  faults: string[];
};

export type IntegrityCheck = {
  /**
   * Checks the database in a process of its own, at low priority, since it reads the whole file. Null if that takes longer than
   * `msMax`. Those who ask meanwhile get the same answer.
   */
  check(msMax: number): Promise<Integrity | null>;
  /** The result of the newest check of this process; null before the first. */
  read(): Integrity | null;
};

type IntegrityDeps = {
  path: string;
  now?: () => number;
  /** Resolves with the faults. Rejects if it is aborted. */
  listFaults?: (path: string, signal: AbortSignal) => Promise<string[]>;
};

export function createIntegrityCheck(deps: IntegrityDeps): IntegrityCheck {
  const { path, now = Date.now, listFaults = listFaultsApart } = deps;
  let newest: Integrity | null = null;
  let running: Promise<Integrity | null> | null = null;

  async function check(msMax: number): Promise<Integrity | null> {
    const signal = AbortSignal.timeout(msMax);
    try {
      newest = { checkedAt: now(), faults: await listFaults(path, signal) };
      return newest;
    } catch (err) {
      if (signal.aborted) return null;
      throw err;
    }
  }

  return {
    check(msMax) {
      running ??= check(msMax).finally(() => {
        running = null;
      });
      return running;
    },
    read: () => newest,
  };
}

const lowPriority = 10;

async function listFaultsApart(path: string, signal: AbortSignal): Promise<string[]> {
  const file = join(import.meta.dirname, "integrity-process.ts");
  const { command, args, env } = findPartCommand(integrityCommand, file);
  const child = Bun.spawn([command, ...args, path], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    signal,
    killSignal: "SIGKILL",
  });
  try {
    setPriority(child.pid, lowPriority);
  } catch {
    // It has ended, or the system does not allow it.
  }
  const [printed, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  signal.throwIfAborted();
  if (exitCode !== 0) throw new Error(`The check of the database ended with ${exitCode}.`);
  return JSON.parse(printed) as string[];
}
