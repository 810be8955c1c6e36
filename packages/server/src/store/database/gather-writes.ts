/** Writes of one commit. A longer transaction would block the event loop for milliseconds. */
export const batchMax = 256;
const turnsMax = 8;

/**
 * A commit of a hundred writes costs as much as one of a single write. So it waits as long as every
 * turn of the event loop adds writes: a single write waits for one turn; under load, batches grow.
 */
export async function gatherWrites(countWaiting: () => number): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const before = countWaiting();
    await new Promise((resolve) => setImmediate(resolve));
    if (countWaiting() === before || countWaiting() >= batchMax) return;
  }
}
