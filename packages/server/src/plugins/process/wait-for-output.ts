import type { Timers } from "../../lib/time/timers.ts";

/** A process that the program started can outlive it and keep its pipe open. */
const waitMsMax = 2000;

/** Waits until the rest of an ended program's output is read, for a short time. */
export async function waitForOutput(timers: Timers, read: Promise<void>): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(waitMsMax, resolve);
  await Promise.race([read, isLate]);
  cancel();
}
