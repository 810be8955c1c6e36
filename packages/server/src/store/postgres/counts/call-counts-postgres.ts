import { repeatConflicts } from "../../database/retry-conflicts.ts";
import type { CallCounts, CallLimit, CallRefusal, CountedCall } from "../../limits/call-counts.ts";
import type { ConnectionPool } from "../connections/connection-pool.ts";
import { isConflict } from "../postgres-errors.ts";
import { type CountRequest, countCalls, type Granted } from "./count-calls.ts";
import { refuse, toCountedCall } from "./counted-call.ts";

type CountsDeps = {
  pool: Pick<ConnectionPool, "query">;
  /** This process, in the counts of all. */
  holder: string;
  /** A clock for durations. */
  nowMs?: () => number;
};

export type PostgresCallCounts = CallCounts & {
  /** Reports the running calls again and gives back what is not used. */
  refresh(): Promise<void>;
  close(): Promise<void>;
};

/** Reports are older than three of these when their process counts as dead: see `countCalls`. */
const refreshMs = 10_000;
/** Calls that were granted ahead are given up after this time without use. */
const spareMsMax = 10_000;
/** Keys in one statement. */
const keysMax = 64;

type Waiting = { resolve(refusal: CallRefusal | null): void; reject(reason: unknown): void };

/** What this process knows of one user or row. */
type Entry = {
  limit: CallLimit;
  running: number;
  /** Running calls that the database has granted. */
  permits: number;
  /** Calls of this minute that the database has granted ahead. */
  tokens: number;
  usedAt: number;
  /** Under this limit, calls are refused until then without asking. */
  refused: { perMinute: number; until: number };
  waiting: Waiting[];
  /** Whether a statement about it is under way. */
  isAsking: boolean;
};

/**
 * Counts the calls of all processes in the database. Each process asks for the calls that wait, and
 * for some calls ahead, one or two in a hundred, so that most calls ask nothing. All processes
 * change one row for each user or row, in single statements that wait for no disk, so the sum is
 * exact.
 */
export function createPostgresCallCounts(deps: CountsDeps): PostgresCallCounts {
  return new SharedCounts(deps);
}

class SharedCounts implements PostgresCallCounts {
  readonly #deps: CountsDeps;
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  /** Keys of which the next statements ask. */
  readonly #due = new Set<string>();
  readonly #timer: ReturnType<typeof setInterval>;
  #work: Promise<void> | null = null;

  constructor(deps: CountsDeps) {
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? (() => performance.now());
    this.#timer = setInterval(() => void this.refresh().catch(() => {}), refreshMs);
    this.#timer.unref();
  }

  begin(key: string, limit: CallLimit): CountedCall {
    const { perMinute, atOnce } = limit;
    const entry = this.#findEntry(key, limit);
    if (atOnce > 0 && entry.running >= atOnce) return refuse({ limit: "atOnce" });
    const { refused } = entry;
    const waitMs = refused.perMinute === perMinute ? refused.until - this.#nowMs() : 0;
    if (perMinute > 0 && waitMs > 0) return refuse({ limit: "perMinute", waitMs });
    const needsToken = perMinute > 0 && entry.tokens < 1;
    const needsPermit = atOnce > 0 && entry.running >= entry.permits;
    if (!needsToken && !needsPermit && entry.waiting.length === 0) {
      this.#start(key, entry);
      return toCountedCall(null, () => this.#end(entry, key));
    }
    const decision = new Promise<CallRefusal | null>((resolve, reject) => {
      entry.waiting.push({ resolve, reject });
      this.#askSoon(key);
    });
    return toCountedCall(decision, () => this.#end(entry, key));
  }

  async refresh(): Promise<void> {
    for (const [key, entry] of this.#entries) {
      const isIdle = this.#isIdle(entry);
      if (isIdle) entry.tokens = 0;
      if (entry.permits > 0 || (entry.running > 0 && entry.limit.atOnce > 0)) this.#due.add(key);
      else if (isIdle && isUnused(entry)) this.#entries.delete(key);
    }
    if (this.#due.size > 0) this.#work ??= this.#askAll();
    await this.#work;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const entry of this.#entries.values()) {
      Object.assign(entry, { running: 0, usedAt: Number.NEGATIVE_INFINITY });
    }
    await this.refresh().catch(() => {});
  }

  #findEntry(key: string, limit: CallLimit): Entry {
    const entry = this.#entries.get(key) ?? createEntry(limit);
    this.#entries.set(key, entry);
    // What was granted ahead under another limit may be more than this one allows.
    if (this.#isIdle(entry) || entry.limit.perMinute !== limit.perMinute) entry.tokens = 0;
    entry.limit = limit;
    entry.usedAt = this.#nowMs();
    return entry;
  }

  #isIdle({ usedAt }: Entry): boolean {
    return this.#nowMs() - usedAt > spareMsMax;
  }

  #start(key: string, entry: Entry): void {
    entry.running += 1;
    if (entry.limit.perMinute > 0) entry.tokens -= 1;
    this.#entries.set(key, entry);
  }

  #end(entry: Entry, key: string): void {
    entry.running -= 1;
    const { permits, running, limit } = entry;
    if (permits - running > toSparePermits(limit)) this.#askSoon(key);
  }

  #askSoon(key: string): void {
    this.#due.add(key);
    this.#work ??= this.#askAll();
  }

  async #askAll(): Promise<void> {
    // Calls of one turn of the event loop share a statement, and so do all that wait for its answer.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#due.size > 0) {
      const keys = [...this.#due].slice(0, keysMax);
      for (const key of keys) this.#due.delete(key);
      await this.#ask(keys);
    }
    this.#work = null;
  }

  async #ask(keys: readonly string[]): Promise<void> {
    const asked = keys.flatMap((key) => {
      const entry = this.#entries.get(key);
      return entry === undefined ? [] : [takeQuestion(key, entry, this.#isIdle(entry))];
    });
    if (asked.length === 0) return;
    const { pool, holder } = this.#deps;
    try {
      const requests = asked.map(({ request }) => request);
      const count = () => countCalls(pool, holder, requests);
      const granted = await repeatConflicts({ isConflict }, count);
      for (const question of asked) this.#complete(question, granted.get(question.key));
    } catch (err) {
      for (const { entry, tokens, waiting } of asked) {
        entry.tokens += tokens;
        for (const { reject } of waiting) reject(err);
      }
    } finally {
      for (const { entry } of asked) entry.isAsking = false;
    }
  }

  #complete({ key, entry, tokens, waiting }: Question, granted: Granted | undefined): void {
    const { perMinute, atOnce } = entry.limit;
    entry.tokens += tokens + (granted?.tokens ?? 0);
    entry.permits = granted?.permits ?? 0;
    for (const { resolve } of waiting) {
      if (atOnce > 0 && entry.running >= entry.permits) {
        resolve({ limit: "atOnce" });
      } else if (perMinute > 0 && entry.tokens < 1) {
        const missing = (granted?.taken ?? perMinute) + 1 - perMinute;
        const waitMs = Math.max(1, (missing / perMinute) * 60_000);
        entry.refused = { perMinute, until: this.#nowMs() + waitMs };
        resolve({ limit: "perMinute", waitMs });
      } else {
        this.#start(key, entry);
        resolve(null);
      }
    }
  }
}

function createEntry(limit: CallLimit): Entry {
  return {
    limit,
    running: 0,
    permits: 0,
    tokens: 0,
    usedAt: Number.NEGATIVE_INFINITY,
    refused: { perMinute: 0, until: 0 },
    waiting: [],
    isAsking: false,
  };
}

/** The spares of idle processes are missing to the others, so they are few. */
const toSparePermits = ({ atOnce }: CallLimit): number => Math.floor(atOnce / 32);
const toSpareTokens = ({ perMinute }: CallLimit): number => Math.floor(perMinute / 100);

const isUnused = ({ running, waiting, isAsking }: Entry): boolean =>
  running === 0 && waiting.length === 0 && !isAsking;

/** The calls of one key that wait for an answer. */
type Question = {
  key: string;
  entry: Entry;
  waiting: Waiting[];
  /** What these calls may use beside what is granted. */
  tokens: number;
  request: CountRequest;
};

/** From now on, new calls wait for the next question: what is left belongs to the calls of this one. */
function takeQuestion(key: string, entry: Entry, isIdle: boolean): Question {
  const { limit, running, tokens } = entry;
  const { perMinute, atOnce } = limit;
  const waiting = entry.waiting.splice(0);
  const calls = waiting.length;
  const spare = isIdle || calls > 0 ? 0 : toSparePermits(limit);
  const held = Math.max(running, Math.min(entry.permits, running + spare));
  Object.assign(entry, { tokens: 0, permits: held, isAsking: true });
  const request = {
    key,
    perMinute,
    atOnce,
    tokens: perMinute > 0 && calls > 0 ? Math.max(0, calls + toSpareTokens(limit) - tokens) : 0,
    held: atOnce > 0 ? held : 0,
    permits: atOnce > 0 ? calls : 0,
  };
  return { key, entry, waiting, tokens, request };
}
