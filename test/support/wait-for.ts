const lookAgainMs = 10;

/**
 * Looks until `find` returns something. There is no bound of its own: what never comes is ended by
 * the test's timeout.
 */
export async function waitFor<Found>(
  find: () => Found | null | undefined | false | Promise<Found | null | undefined | false>,
): Promise<Found> {
  for (;;) {
    const found = await find();
    if (found) return found;
    await Bun.sleep(lookAgainMs);
  }
}
