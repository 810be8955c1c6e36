/**
 * Lets servers and their database fail under load: `bun test/oracles/try-replicas.ts [seed] [rounds]`. The exit
 * code is 1 if a run differs from what its client got, or a change is obeyed late.
 */
import { createRandom } from "../support/random.ts";
import type { Disturbance } from "./replicas/disturb.ts";
import { tryReplicas } from "./replicas/trial.ts";

const seed = Number(process.argv[2] ?? Date.now() % 2 ** 31);
const rounds = Number(process.argv[3] ?? 20);
const random = createRandom(seed);
/** Once each, so that every trial has them; the rest is drawn. */
const first: Disturbance[] = ["kill", "kill", "kill", "crash", "cut", "pause", "crash", "restart"];
const kinds: Disturbance[] = ["kill", "restart", "pause", "crash", "cut"];
const drawn = Array.from({ length: Math.max(0, rounds - first.length) }, () => random.pick(kinds));
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);

console.log(`seed ${seed}, ${first.length + drawn.length} disturbances`);
const report = await tryReplicas({
  seed,
  disturbances: [...first, ...drawn],
  pauseMs: 60_000,
  httpWorkers: 8,
  callsBetween: 200,
  onDisturbed: (name, { sent, answered, longestGapMs }) =>
    console.log(`${seconds()} s: ${name}; ${sent} sent, ${answered} answered, gap ${longestGapMs}`),
});
console.log(JSON.stringify({ seed, ...report, seconds: seconds() }, null, 2));
