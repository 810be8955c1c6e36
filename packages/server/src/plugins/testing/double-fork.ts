import { findProcess } from "../../lib/process/process-identity.ts";
import { markVariable } from "../process/end-marked.ts";

/** Starts a process in a session of its own, without its parent. Resolves with its pid. */
export async function startDoubleFork(mark: string): Promise<number> {
  const child = Bun.spawn(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"], {
    env: { PATH: process.env.PATH ?? "", [markVariable]: mark },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = Number(await child.stdout.text());
  await child.exited;
  return pid;
}

/** Whether it still runs. */
export const findDoubleFork = (pid: number): boolean => findProcess(pid) !== null;
