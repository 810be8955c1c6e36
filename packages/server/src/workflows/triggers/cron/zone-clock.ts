/**
 * The clock of a time zone. Local times are in ms as if they were UTC, so that 02:30 of a day is the same number in
 * every zone.
 */
export type ZoneClock = {
  toLocal(at: number): number;
  /**
   * The latest local time that the clock has shown up to `at`. It is later than the local time of `at` in an hour
   * that is repeated.
   */
  toReached(at: number): number;
  /**
   * When the clock shows a local time for the first time, in epoch ms. For a time in an hour that is skipped: when
   * that hour is over. Null for a time on a day that the zone skips.
   */
  toInstant(local: number): number | null;
};

const dayMs = 24 * 60 * 60 * 1000;
/** More than the difference between a local time and UTC. Zones change less often than this. */
const nearMs = 16 * 60 * 60 * 1000;

/** Throws for a name that is no time zone. Takes some ten KiB of memory, so nothing keeps it. */
export function createZoneClock(timezone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });

  function readOffset(at: number): number {
    const second = toSecond(at);
    const part: { [type: string]: number } = {};
    for (const { type, value } of format.formatToParts(second)) part[type] = Number(value);
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second: seconds = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
  }

  /** The first second between two times with the offset of the second one, if it changes once between them. */
  function findChange(from: number, to: number): number {
    let [before, after] = [toSecond(from), toSecond(to)];
    const offset = readOffset(after);
    while (after - before > 1000) {
      const middle = toSecond((before + after) / 2);
      if (readOffset(middle) === offset) after = middle;
      else before = middle;
    }
    return after;
  }

  return {
    toLocal: (at) => at + readOffset(at),
    toReached(at) {
      const [before, offset] = [readOffset(at - dayMs), readOffset(at)];
      if (before <= offset) return at + offset;
      return Math.max(at + offset, findChange(at - dayMs, at) + before - 1000);
    },
    toInstant(local) {
      const [from, to] = [local - nearMs, local + nearMs];
      const [before, after] = [readOffset(from), readOffset(to)];
      if (before === after || readOffset(local - before) === before) return local - before;
      if (readOffset(local - after) === after) return local - after;
      return after - before < dayMs ? findChange(from, to) : null;
    },
  };
}

const toSecond = (at: number) => Math.floor(at / 1000) * 1000;
