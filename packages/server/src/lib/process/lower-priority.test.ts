import { expect, test } from "bun:test";
import { join } from "node:path";

const module = join(import.meta.dirname, "lower-priority.ts");
/** Prints the nice values of the threads, which are the 19th field of their states. */
const program = `
  import { readdirSync, readFileSync } from "node:fs";
  import { lowerPriority } from ${JSON.stringify(module)};
  lowerPriority();
  const states = readdirSync("/proc/self/task").map((id) => readFileSync("/proc/self/task/" + id + "/stat", "utf8"));
  console.log(JSON.stringify(states.map((text) => Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16]))));
`;

test.if(process.platform === "linux")("Every thread of the process gets the low priority", () => {
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
  const values: number[] = JSON.parse(stdout.toString());
  expect(values.length).toBeGreaterThan(1);
  expect(new Set(values)).toEqual(new Set([10]));
});
