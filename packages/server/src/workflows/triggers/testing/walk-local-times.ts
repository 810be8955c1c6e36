/** The values of the first three fields of a schedule for every day. */
export type DayTimes = { second: number[]; minute: number[]; hour: number[] };

/** One second or minute of a time zone, as its clock shows it. */
export type Shown = { at: number; local: number };

const dayMs = 24 * 60 * 60 * 1000;

/**
 * What the clock of a zone shows, step by step. It asks `Intl` for each step, so that it shares nothing with the code
 * that it tests.
 */
export function* walkLocalTimes(
  timezone: string,
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): Generator<Shown> {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  for (let at = from; at < to; at += stepMs) {
    yield { at, local: Date.parse(`${format.format(at).replace(" ", "T")}Z`) };
  }
}

/**
 * The ticks as the documentation promises them. `shown` begins before the first tick, without a change of the clock
 * in its first step.
 */
export function listPromisedTicks(times: DayTimes, shown: Iterable<Shown>, stepMs: number) {
  const hits = (local: number) => {
    const date = new Date(local);
    return (
      times.hour.includes(date.getUTCHours()) &&
      times.minute.includes(date.getUTCMinutes()) &&
      times.second.includes(date.getUTCSeconds())
    );
  };
  const isFixed = times.second.length < 60 && times.minute.length < 60 && times.hour.length < 24;
  const ticks: number[] = [];
  let reached: number | null = null;
  for (const { at, local } of shown) {
    if (!isFixed) {
      if (hits(local)) ticks.push(at);
      continue;
    }
    reached ??= local - stepMs;
    let isDue = local > reached && hits(local);
    if (local - reached < dayMs) {
      for (let skipped = reached + stepMs; skipped < local; skipped += stepMs) {
        isDue ||= hits(skipped);
      }
    }
    if (isDue) ticks.push(at);
    reached = Math.max(reached, local);
  }
  return ticks;
}

/** The fields of a cron expression for these times, as a list, a range or `*`. */
export function writeSchedule({ second, minute, hour }: DayTimes): string {
  const write = (values: number[], length: number) => {
    if (values.length === length) return "*";
    const [first = 0] = values;
    const isRange = values.length > 2 && values.every((value, at) => value === first + at);
    return isRange ? `${first}-${values.at(-1)}` : values.join(",");
  };
  return `${write(second, 60)} ${write(minute, 60)} ${write(hour, 24)} * * *`;
}
