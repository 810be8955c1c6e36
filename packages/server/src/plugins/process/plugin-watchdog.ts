/** Ends the remaining plugins when the hub dies, on systems without a shell. See `watchdog.ts`. */
import { createInterface } from "node:readline";
import { endMarked } from "./end-marked.ts";
import { killGroup } from "./kill-group.ts";

const pids = new Set<number>();

for (const signal of ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"] as const)
  process.on(signal, () => {});
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid] = line.split(" ");
  if (verb === "add") pids.add(Number(pid));
  else pids.delete(Number(pid));
}
for (const pid of pids) killGroup(pid, "SIGKILL");
await endMarked(process.argv.at(-1) ?? "");
