/**
 * Tries programs under the fence's limits: Node, Bun, Python, Go, Java and Chromium work with the default limits and with the lowest that
 * the reference names; a program that takes memory without end is stopped or refused; what a program
 * has started twice removed (a double fork) is gone 5 s after its program, after kill -9 of the hub, and after the sweep of the next hub.
 */
import { existsSync } from "node:fs";
import { findProcess } from "@hub/server/lib/process/process-identity.ts";
import { greedySource, triedPrograms } from "./fence-programs/programs.ts";
import { tryDoubleForks } from "./fence-programs/try-double-forks.ts";
import { openTrial } from "./fence-programs/try-programs.ts";

const gib = 1024 ** 3;
let failures = 0;

function tell(isRight: boolean, what: string): void {
  if (!isRight) failures += 1;
  console.log(`${isRight ? "ok  " : "FAIL"}  ${what}`);
}

const isHere = (command: string) => existsSync(command) || Bun.which(command) !== null;

for (const dataBytes of [8 * gib, 2 * gib]) {
  const limits = { memoryBytes: null, dataBytes, tasks: 4096 };
  for (const program of triedPrograms) {
    if (!isHere(program.needs)) {
      console.log(`skip  ${program.name}: ${program.needs} is not installed`);
      continue;
    }
    using trial = openTrial(limits);
    const memory = trial.fence.findState().limits?.memory;
    const { stdout, stderr, code } = await trial.try(program);
    const works = stdout.includes("works");
    const limit = `${memory?.by === "group" ? "cgroup" : "RLIMIT_DATA"} ${(memory?.bytes ?? 0) / gib} GiB`;
    tell(works, `${program.name}, ${limit}${works ? "" : `: code ${code}, ${stderr.slice(-300)}`}`);
  }
}

{
  using trial = openTrial({ memoryBytes: gib, dataBytes: gib, tasks: 4096 });
  trial.write("greedy.py", greedySource);
  const { stdout, signal } = await trial.run(["python3", "greedy.py"]);
  const isEnded = stdout === "refused\n" || signal === "SIGKILL";
  tell(isEnded, `a program without bound, 1 GiB: ${signal ?? stdout.trim()}`);
}

for (const { what, pid, ms } of await tryDoubleForks()) {
  tell(findProcess(pid) === null && ms < 5000, `a double fork ${what}: gone after ${ms} ms`);
}
process.exit(failures === 0 ? 0 : 1);
