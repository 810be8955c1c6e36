/**
 * Compares the ticks of schedules with those that a walk over the local times of ten years finds, minute by minute,
 * in zones whose clocks change in unusual ways. Takes minutes.
 *
 * bun scripts/try-cron-times.ts [SCHEDULES] [SEED]
 */
import { createCronTimes } from "../packages/server/src/workflows/triggers/cron/cron-times.ts";
import {
  type DayTimes,
  listPromisedTicks,
  walkLocalTimes,
  writeSchedule,
} from "../packages/server/src/workflows/triggers/testing/walk-local-times.ts";

const [schedules = 20, seed = 1] = process.argv.slice(2).map(Number);
const stepMs = 60_000;
const nearMs = 6 * 3_600_000;
const zones: readonly (readonly [string, number])[] = [
  ["Europe/Berlin", 2026],
  ["Australia/Lord_Howe", 2026],
  ["America/Santiago", 2020],
  ["Asia/Beirut", 2020],
  ["America/Nuuk", 2020],
  ["Africa/Casablanca", 2026],
  ["Pacific/Apia", 2006],
  ["America/Caracas", 2006],
  ["Asia/Pyongyang", 2011],
  ["Antarctica/Troll", 2026],
  ["America/Sao_Paulo", 2010],
  ["Asia/Kathmandu", 2026],
];

let state = seed;
const next = (max: number) => {
  state = (state * 48_271) % 2_147_483_647;
  return state % max;
};
const choose = (length: number, most: number, near: number) =>
  [
    ...new Set(Array.from({ length: 1 + next(most) }, () => next(next(3) > 0 ? near : length))),
  ].sort((one, other) => one - other);
const all = (length: number) => Array.from({ length }, (_, value) => value);

let wrong = 0;
for (const [zone, year] of zones) {
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 10, 0, 1)];
  const shown = [...walkLocalTimes(zone, { from, to, stepMs })];
  const changes = shown.flatMap(({ at, local }, index) => {
    const before = shown[index - 1];
    return before !== undefined && local - before.local !== stepMs ? [at] : [];
  });
  for (let round = 0; round < schedules; round += 1) {
    const times: DayTimes = {
      second: [0],
      minute: next(8) === 0 ? all(60) : choose(60, 3, 60),
      hour: next(8) === 0 ? all(24) : choose(24, 4, 5),
    };
    const schedule = writeSchedule(times);
    const expected = listPromisedTicks(times, shown, stepMs);
    const found = createCronTimes(schedule, zone);
    // The ticks near a change of the clock, and some of the others.
    for (const [index, tick] of expected.entries()) {
      const before = expected[index - 1];
      const isNear = changes.some((change) => Math.abs(change - tick) < nearMs);
      if (before === undefined || next(isNear ? 2 : 2000) > 0) continue;
      const forward = found.findNext(before);
      const backward = found.findLast(tick - 1);
      if (forward === tick && backward === before) continue;
      wrong += 1;
      const show = (at: number | null) => (at === null ? "none" : new Date(at).toISOString());
      console.log(
        `${zone} "${schedule}" after ${show(before)}: ${show(tick)}, found ${show(forward)}; the one before: ${show(backward)}`,
      );
      if (wrong > 50) process.exit(1);
    }
  }
  console.log(`${zone}: compared`);
}
process.exit(wrong === 0 ? 0 : 1);
