/**
 * Tries programs under the fence's limits: Node, Bun, Python, Go, Java and Chromium work with the default limits and with the lowest that
 * the reference names, and a program that takes memory without end is stopped or refused. The exit code is 1 if one is not.
 */
import { existsSync } from "node:fs";
import { greedySource, triedPrograms } from "./fence-programs/programs.ts";
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

process.exit(failures === 0 ? 0 : 1);
