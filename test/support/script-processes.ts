import { readdirSync, readFileSync } from "node:fs";
import { waitFor } from "./wait-for.ts";

/** The processes that run scripts of code nodes, of a hub with this process id. Only on Linux. */
export function listScriptProcesses(hubPid: number): number[] {
  return listProcesses().filter((pid) => isScriptProcess(pid) && readParent(pid) === hubPid);
}

/**
 * Waits for the process that runs a script now: since this call, it has computed for 100 ms. One that has just answered
 * computes for a moment, too.
 */
export async function waitForScript(hubPid: number): Promise<number> {
  const before = new Map<number, number>();
  return await waitFor(() =>
    listScriptProcesses(hubPid).find((pid) => {
      const ticks = readTicks(pid);
      if (!before.has(pid)) before.set(pid, ticks);
      return ticks - (before.get(pid) ?? 0) >= 10;
    }),
  );
}

/** Whether it computes now. One that has just answered does so for a moment, too. */
export function isBusy(pid: number): boolean {
  return readStat(pid)?.[0] === "R";
}

/** Whether it exists and is no zombie. */
export function isRunning(pid: number): boolean {
  const state = readStat(pid)?.[0];
  return state !== undefined && state !== "Z";
}

function listProcesses(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function isScriptProcess(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("code-process");
  } catch {
    return false;
  }
}

function readParent(pid: number): number {
  return Number(readStat(pid)?.[1]);
}

/** The processor time of a process, in hundredths of a second. */
function readTicks(pid: number): number {
  const fields = readStat(pid);
  return Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0);
}

/** The fields after the name, which may contain spaces. */
function readStat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
