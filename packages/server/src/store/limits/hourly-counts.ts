/** Counts what each key has used of its limit per hour, which refills evenly. */
export type HourlyCounts = {
  /**
   * Takes an amount of at most `perHour`, and returns 0. If there is not so much left, takes nothing and
   * returns the time until there is, in milliseconds. A promise if a database must be asked.
   */
  take(key: string, amount: number, perHour: number): number | Promise<number>;
};

export const hourMs = 3_600_000;
