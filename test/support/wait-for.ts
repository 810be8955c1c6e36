const intervalMs = { first: 10, last: 50, growth: 1.2 };

/**
 * Calls `find` repeatedly until it returns a value, less often the longer it lasts, because what it asks costs the processor that
 * the other tests need. The only time limit is the timeout of the test.
 */
export async function waitFor<Found>(
  find: () => Found | null | undefined | false | Promise<Found | null | undefined | false>,
): Promise<Found> {
  for (let pauseMs = intervalMs.first; ; pauseMs *= intervalMs.growth) {
    const found = await find();
    if (found) return found;
    await Bun.sleep(Math.min(pauseMs, intervalMs.last));
  }
}
