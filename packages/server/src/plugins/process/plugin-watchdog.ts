/** Ends the remaining plugins when the hub dies, on systems without a shell. See `watchdog.ts`. */
import { createInterface } from "node:readline";
import { killGroup } from "../../lib/process/kill-group.ts";
import { endMarked } from "./end-marked.ts";
import { readWords } from "./watchdog.ts";

const leaders = new Set<string>();

for (const signal of ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"] as const)
  process.on(signal, () => {});
for await (const line of createInterface({ input: process.stdin })) {
  const words = line.slice("add ".length);
  if (line.startsWith("add ")) leaders.add(words);
  else leaders.delete(words);
}
for (const words of leaders) killGroup(readWords(...words.split(" ")), "SIGKILL");
await endMarked(process.argv.at(-1) ?? "");
