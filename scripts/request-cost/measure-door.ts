import type { Attack, Door, Kind, Prepared } from "./door.ts";
import { type Figures, judge, judgeGrowth, law } from "./law.ts";
import type { Meter } from "./meter.ts";
import type { Poller } from "./open-poller.ts";

export type MeasureDeps = {
  meter: Meter;
  health: Poller;
  other: Poller;
  idle: Idle;
};

/** What the polls show of an idle hub. */
export type Idle = {
  /** The longest wait of /health. */
  waitMs: number;
  /** Processor time for one poll. */
  healthMs: number;
  otherMs: number;
};

export type Fault = { door: string; attack: string; kind: string; what: string[] };
export type DoorResult = {
  faults: Fault[];
  statuses: Map<string, number>;
  /** The attack with the largest figure of each sort. */
  worst: Record<"cpuMs" | "holdMs" | "otherMs" | "memoryMiB", { attack: string; value: number }>;
};

/** The kinds by which one user may keep out others. Their requests would only disturb the other figures. */
const crowding: readonly Kind[] = ["parallelism", "idling", "chunking"];

/** Runs the attacks of a door. */
export async function measureDoor(
  deps: MeasureDeps,
  door: Door,
  attacks: ReadonlyArray<[string, Attack]>,
): Promise<DoorResult> {
  const worst = () => ({ attack: "", value: 0 });
  const result: DoorResult = {
    faults: [],
    statuses: new Map(),
    worst: { cpuMs: worst(), holdMs: worst(), otherMs: worst(), memoryMiB: worst() },
  };
  for (const [name, attack] of attacks) {
    deps.other.pause(!crowding.includes(attack.kind));
    const tried = await tryAttack(deps, door, attack);
    for (const { status } of tried.figures) {
      result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
    }
    for (const [figure, found] of Object.entries(result.worst)) {
      // The names are the members of Figures in the type of `worst`.
      const value = Math.max(
        ...tried.figures.map((one) => one[figure as keyof typeof result.worst]),
      );
      if (value > found.value) Object.assign(found, { attack: name, value });
    }
    if (tried.what.length === 0) continue;
    const { name: of } = door;
    result.faults.push({ door: of, attack: name, kind: attack.kind, what: tried.what });
  }
  return result;
}

/** Other work of the machine only adds to the figures, so the lowest of a few trials counts. */
const trialsMax = 3;

/** From this cost on, what is over the law is not tried with more bytes: it could take hours. */
const cpuMsEnough = 300;

async function tryAttack(
  deps: MeasureDeps,
  door: Door,
  attack: Attack,
): Promise<{ figures: Figures[]; what: string[] }> {
  const figures: Figures[] = [];
  const bytesMax = Math.min(door.bytesMax, attack.bytesMax ?? door.bytesMax);
  let what: string[] = [];
  for (const bytes of listSizes(bytesMax)) {
    const tried = await tryOften(deps, door, attack, bytes);
    figures.push(tried.figures);
    if (tried.what.length === 0) continue;
    what = [`${tried.figures.bytes} bytes: ${tried.what.join("; ")}`];
    if (tried.figures.cpuMs > cpuMsEnough) break;
  }
  const whole = figures.at(-1);
  const extraMs = door.cpuMsExtra ?? 0;
  const isCheap = (whole?.cpuMs ?? 0) <= law.cpuMsBase * (whole?.requests ?? 1) + extraMs;
  if (whole === undefined || what.length > 0 || isCheap) return { figures, what };
  const growth = await tryGrowth(deps, attack, { bytesMax, whole, extraMs });
  // A cost within a third of the limit is noise of garbage collection and compilation.
  const isSmall = whole.cpuMs < (law.cpuMsPerMiB / 3) * (whole.bytes / 1024 / 1024);
  if (growth !== null && !isSmall) what = [`${whole.bytes} bytes: ${growth}`];
  return { figures, what };
}

type Grown = { bytesMax: number; whole: Figures; extraMs: number };

async function tryGrowth(
  deps: MeasureDeps,
  attack: Attack,
  { bytesMax, whole, extraMs }: Grown,
): Promise<string | null> {
  const measureSize = async (bytes: number) => await measure(deps, await attack.prepare(bytes));
  const quarterBytes = Math.floor(bytesMax / 4);
  const sizes = { quarter: await measureSize(quarterBytes), whole };
  for (let trial = 1; trial < trialsMax; trial += 1) {
    if (judgeGrowth(sizes.quarter, sizes.whole, extraMs) === null) return null;
    sizes.quarter = takeLower(sizes.quarter, await measureSize(quarterBytes));
    sizes.whole = takeLower(sizes.whole, await measureSize(bytesMax));
  }
  return judgeGrowth(sizes.quarter, sizes.whole, extraMs);
}

/**
 * In steps, so that what is quadratic shows at a size at which it takes seconds. A small input is not worth
 * more than one.
 */
function listSizes(bytesMax: number): number[] {
  const shares = bytesMax <= 64 * 1024 ? [1] : [256, 16, 1];
  return shares.map((share) => Math.floor(bytesMax / share));
}

async function tryOften(
  deps: MeasureDeps,
  door: Door,
  attack: Attack,
  bytes: number,
): Promise<{ figures: Figures; what: string[] }> {
  let figures = await measure(deps, await attack.prepare(bytes));
  let what = judge(figures, door, deps.idle.waitMs);
  for (let trial = 1; trial < trialsMax && what.length > 0; trial += 1) {
    // What took seconds was not the work of others.
    if (figures.cpuMs > 5_000 || figures.holdMs > 1_000) break;
    figures = takeLower(figures, await measure(deps, await attack.prepare(bytes)));
    what = judge(figures, door, deps.idle.waitMs);
  }
  return { figures, what };
}

function takeLower(one: Figures, two: Figures): Figures {
  const lower = (name: "cpuMs" | "holdMs" | "otherMs" | "waitMs" | "memoryMiB") =>
    Math.min(one[name], two[name]);
  return {
    ...two,
    cpuMs: lower("cpuMs"),
    holdMs: lower("holdMs"),
    otherMs: lower("otherMs"),
    waitMs: lower("waitMs"),
    memoryMiB: lower("memoryMiB"),
  };
}

async function measure(
  { meter, health, other, idle }: MeasureDeps,
  { bytes, requests = 1, run, usage }: Prepared,
): Promise<Figures> {
  await meter.quiet();
  await Promise.all([health.takeWaits(), other.takeWaits()]);
  const cpuMs = meter.cpuMs();
  const memoryMiB = meter.resetPeak();
  const status = await run().catch((thrown: unknown) => toOutcome(thrown));
  // Runs of workflows go on after the answer.
  await meter.quiet();
  const [waits, others] = await Promise.all([health.takeWaits(), other.takeWaits()]);
  const polledMs = waits.polls * idle.healthMs + others.polls * idle.otherMs;
  return {
    bytes: Math.max(bytes, 1024),
    requests,
    status,
    cpuMs: Math.max(0, meter.cpuMs() - cpuMs - polledMs),
    waitMs: waits.waitMs,
    holdMs: waits.holdMs,
    otherMs: others.holdMs,
    memoryMiB: meter.peakMiB() - memoryMiB,
    ...usage?.(),
  };
}

/** A connection that ends early counts like an answer. */
function toOutcome(thrown: unknown): string {
  return thrown instanceof Error && thrown.name === "TimeoutError" ? "no answer in 60 s" : "closed";
}

/** Measures an idle hub. The median of a few periods: one in which others had the processor says nothing. */
export async function measureIdle({
  meter,
  health,
  other,
}: Omit<MeasureDeps, "idle">): Promise<Idle> {
  const measureParts = async (ms: number) => {
    await Promise.all([health.takeWaits(), other.takeWaits()]);
    const before = meter.cpuMs();
    await Bun.sleep(ms);
    const [waits, others] = await Promise.all([health.takeWaits(), other.takeWaits()]);
    return { waits, others, cpuMs: meter.cpuMs() - before };
  };
  other.pause(true);
  await Bun.sleep(1_000);
  const parts = await runRounds(7, () => measureParts(300));
  const waitMs = parts.map(({ waits }) => waits.waitMs).toSorted((one, two) => one - two)[3] ?? 0;
  const polls = parts.reduce((sum, { waits }) => sum + waits.polls, 0);
  const healthMs = parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / Math.max(1, polls);
  other.pause(false);
  const both = await measureParts(2_000);
  const ofOther = both.cpuMs - both.waits.polls * healthMs;
  return { waitMs, healthMs, otherMs: Math.max(0, ofOther) / Math.max(1, both.others.polls) };
}

async function runRounds<Result>(times: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < times) results.push(await run());
  return results;
}
