import type { Timers } from "../../lib/time/timers.ts";

/** Time for each step before the next one. */
export const graceMs = 2000;

type Stoppable = { exited: Promise<unknown>; kill(signal: "SIGTERM" | "SIGKILL"): void };

/** Ends a process by `ask`, then SIGTERM, then SIGKILL. Resolves when it has ended. */
export async function stopProcess(
  { timers }: { timers: Timers },
  child: Stoppable,
  ask?: () => void,
): Promise<void> {
  if (ask !== undefined) {
    ask();
    if (await endsInTime(timers, child)) return;
  }
  child.kill("SIGTERM");
  if (await endsInTime(timers, child)) return;
  child.kill("SIGKILL");
  await child.exited;
}

async function endsInTime(timers: Timers, child: Stoppable): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancelTimer = timers.after(graceMs, () => resolve(false));
  child.exited.then(() => resolve(true));
  const ended = await promise;
  cancelTimer();
  return ended;
}
