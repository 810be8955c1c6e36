import { readdirSync, readFileSync } from "node:fs";

/** The processes that run scripts of code nodes, of a hub with this process id. Only on Linux. */
export function listScriptProcesses(hubPid: number): number[] {
  return listProcesses().filter((pid) => isScriptProcess(pid) && readParent(pid) === hubPid);
}

/** Whether it computes now. An idle one waits for work. */
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

/** The fields after the name, which may contain spaces. */
function readStat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
