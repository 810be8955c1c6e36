const intervalMs = 10;

/**
 * Calls `find` repeatedly until it returns a value. The only time limit is the timeout of the test.
 */
export async function waitFor<Found>(
  find: () => Found | null | undefined | false | Promise<Found | null | undefined | false>,
): Promise<Found> {
  for (;;) {
    const found = await find();
    if (found) return found;
    await Bun.sleep(intervalMs);
  }
}
