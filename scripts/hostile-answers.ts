/**
 * Prints the cost of hostile answers for a hub: processor time of all threads and of the event loop's thread,
 * the longest duration of `GET /health` (also as a ratio to an idle hub), and the peak memory.
 * `bun scripts/hostile-answers.ts [--hub CHECKOUT] [--shapes a,b] [--sizes 1,256,4096] [--at-once 30]`;
 * sizes are in KiB. Linux only.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hostileShapes, startHostileHost } from "../test/support/hostile-answers.ts";
import { postRpc, toToolCall } from "../test/support/rpc.ts";
import { startHub } from "../test/support/start-hub.ts";

const { values: options } = parseArgs({
  options: {
    hub: { type: "string", default: join(import.meta.dirname, "..") },
    shapes: { type: "string", default: Object.keys(hostileShapes).join() },
    sizes: { type: "string", default: "1,64,256,1024,4096,16000" },
    "at-once": { type: "string", default: "30" },
  },
});

const secret = "row-secret-9fK2xQ7vLm4R";
const ticksPerSecond = 100;

await using host = startHostileHost(secret);
await using hub = await startHub({
  main: join(options.hub, "packages/cli/src/hub.ts"),
  env: { HUB_USER_CALLS_PER_MINUTE: "0", HUB_USER_CALLS_AT_ONCE: "0" },
});
const added = await hub.tryCli(
  [
    ...["row", "add", "http", "--label", "Hostile", "--set", `base_url=${host.url}`],
    ...["--set", "auth_mode=bearer", "--secret-env", "token=SECRET", "--json"],
  ],
  { env: { SECRET: secret } },
);
const { id } = added.json<{ id: string }>();

const resting = await measure(() => Bun.sleep(2_000));
console.log(
  `idle: health waits at most ${resting.waitMs.toFixed(1)} ms, ${resting.peakMiB.toFixed(0)} MiB`,
);
console.log("shape                    KiB    cpu ms  loop ms  wait ms   ratio  peak MiB  answer");
for (const name of options.shapes.split(",")) {
  for (const kib of options.sizes.split(",").map(Number)) {
    print(name, kib, await measure(() => call(`/${name}/${kib * 1024}`)));
  }
}
const atOnce = Number(options["at-once"]);
if (atOnce > 0) {
  const path = `/many_keys/${11 * 1024 * 1024}`;
  await call(path);
  print(
    `${atOnce} at once`,
    11 * 1024,
    await measure(async () => {
      const answers = await Promise.all(Array.from({ length: atOnce }, () => call(path)));
      return answers.join(" ").slice(0, 40);
    }),
  );
}

async function call(path: string): Promise<string> {
  const args = { tool_id: `conn:${id}/get`, params: { path } };
  const reply = await (
    await postRpc(hub.url, hub.adminToken(), toToolCall("hub_execute", args))
  ).text();
  return reply.includes('"isError":true')
    ? (/\\"error\\":\\"(.{0,60})/.exec(reply)?.[1] ?? "failed")
    : `${reply.length} bytes`;
}

type Measured = {
  cpuMs: number;
  loopMs: number;
  waitMs: number;
  peakMiB: number;
  outcome: unknown;
};

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  // Resets the peak of resident memory.
  writeFileSync(`/proc/${hub.pid}/clear_refs`, "5");
  const before = {
    all: readTicks(`/proc/${hub.pid}/stat`),
    loop: readTicks(`/proc/${hub.pid}/task/${hub.pid}/stat`),
  };
  let waitMs = 0;
  let isEnded = false;
  const watch = (async () => {
    while (!isEnded) {
      const requestedAt = performance.now();
      await (await fetch(`${hub.url}/health`)).text();
      waitMs = Math.max(waitMs, performance.now() - requestedAt);
      await Bun.sleep(2);
    }
  })();
  const outcome = await work();
  isEnded = true;
  await watch;
  const toMs = (ticks: number) => (ticks * 1000) / ticksPerSecond;
  const cpuMs = toMs(readTicks(`/proc/${hub.pid}/stat`) - before.all);
  const loopMs = toMs(readTicks(`/proc/${hub.pid}/task/${hub.pid}/stat`) - before.loop);
  const status = readFileSync(`/proc/${hub.pid}/status`, "utf8");
  const peakMiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  return { cpuMs, loopMs, waitMs, peakMiB, outcome };
}

function readTicks(path: string): number {
  const fields = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function print(
  name: string,
  kib: number,
  { cpuMs, loopMs, waitMs, peakMiB, outcome }: Measured,
): void {
  const columns = [
    String(kib).padStart(6),
    cpuMs.toFixed(0).padStart(9),
    loopMs.toFixed(0).padStart(8),
    waitMs.toFixed(1).padStart(8),
    (waitMs / resting.waitMs).toFixed(1).padStart(7),
    peakMiB.toFixed(0).padStart(9),
  ];
  console.log(`${name.padEnd(22)}${columns.join(" ")}  ${outcome}`);
}
