import { HubError } from "../../errors.ts";
import { waitUntil } from "../../lib/testing/wait-until.ts";
import type { LoadBench } from "./open-load-bench.ts";
import { createTestCall } from "./test-call.ts";

export type LoadReport = {
  answered: number;
  /** Processes that took part. */
  processes: number;
  /** Calls that failed during updates. */
  failedInUpdates: unknown[];
  /** Calls that failed because the plugin was disabled. */
  failedInSwitching: unknown[];
  /** For each client, the calls that failed when the process was killed. */
  failedInKill: unknown[][];
  /** Temporary files that are left when all processes have ended. */
  leftFiles: string[];
};

/**
 * Lets clients call without pause while the plugin is updated, disabled, enabled, and its process
 * killed. The seed decides how many calls are answered between two events.
 */
export async function putUnderLoad(
  { pool, registry, host, install, listTemporaryFiles }: LoadBench,
  { clientCount, updates, seed }: { clientCount: number; updates: number; seed: number },
): Promise<LoadReport> {
  const random = createRandom(seed);
  await install("1.0.0");
  let failures: unknown[][] = [];
  let answered = 0;
  let isOver = false;
  const clients = Array.from({ length: clientCount }, async (_, client) => {
    while (!isOver) {
      const connector = registry.find("fixture");
      // A real call records its run here, and the plugin may change meanwhile.
      await Bun.sleep(0);
      if (connector === null) continue;
      try {
        await connector.invoke(createTestCall({ params: { text: "x" } }).call);
        answered += 1;
      } catch (thrown) {
        failures[client]?.push(thrown);
      }
    }
  });
  const takeFailures = () => {
    const taken = failures;
    failures = clients.map(() => []);
    return taken;
  };
  const pids = new Set<number>();
  const answerMore = async () => {
    // The old process answers at most one more call per client; the new one answers the rest.
    const goal = answered + clientCount + 1 + Math.floor(random() * 200);
    await waitUntil(() => answered >= goal);
    for (const { pid } of pool.list()) pids.add(pid);
  };

  takeFailures();
  await answerMore();
  for (let update = 1; update <= updates; update += 1) {
    await install(`1.0.${update}`);
    await answerMore();
  }
  const failedInUpdates = takeFailures().flat();

  await host.disable("fixture");
  await waitUntil(() => pool.list().length === 0);
  await host.enable("fixture");
  await answerMore();
  const failedInSwitching = takeFailures().flat();

  await waitUntil(() => pool.list().length === 1);
  process.kill(pool.list()[0]?.pid ?? 0, "SIGKILL");
  await answerMore();
  isOver = true;
  await Promise.all(clients);
  const failedInKill = takeFailures();
  await host.disable("fixture");
  await waitUntil(() => pool.list().length === 0);
  return {
    answered,
    processes: pids.size,
    failedInUpdates,
    failedInSwitching,
    failedInKill,
    leftFiles: listTemporaryFiles(),
  };
}

export function isUnavailable(failure: unknown): boolean {
  return failure instanceof HubError && failure.code === "plugin_unavailable";
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
