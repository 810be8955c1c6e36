import type { Timers } from "../lib/timers.ts";
import type { Db } from "../store/database.ts";
import {
  claimEmbeddingLease,
  findEmbeddings,
  putEmbeddings,
  releaseEmbeddingLease,
  type StoredEmbedding,
  touchEmbeddings,
} from "../store/embeddings.ts";
import { type EmbeddingsEndpoint, EmbeddingsError } from "./endpoint.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { toSmallVector } from "./small-vector.ts";
import { createVectorTable, type VectorTable } from "./vector-table.ts";

/** The texts to compare queries with: their hashes, and how to read a text again. */
export type WantedTexts = { hashes: ReadonlySet<string>; readText(hash: string): string };

export type VectorProgress = { texts: number; vectors: number };

/** Keeps the vectors of texts: from the database, or made in the background by the endpoint. */
export type TextVectors = {
  /** Replaces the wanted texts, and returns the table with their slots. Does not wait. */
  follow(wanted: WantedTexts): VectorTable;
  /**
   * Notes that the endpoint gives vectors of this size now. Those of another size are made again.
   */
  noteDimensions(dimensions: number): void;
  progress(): VectorProgress;
  /** Whether there is a vector to compare with. */
  hasVectors(): boolean;
  /** Resolves when no text is waiting, or the work must wait for the endpoint. */
  settle(): Promise<void>;
  /** Cancels the current request and waits for the work to stop. */
  close(): Promise<void>;
};

type TextVectorDeps = {
  db: Db;
  endpoint: EmbeddingsEndpoint;
  health: EndpointHealth;
  model: string;
  /** The id of this process, for the lease. */
  holder: string;
  timers: Timers;
  log: { error(fields: object, message: string): void };
  /** Awaited between portions, so that other requests are served. */
  pause(): Promise<void>;
  onProgress(progress: VectorProgress): Promise<void>;
};

/** Texts of one request. */
const batchSizeMax = 64;
/** Numbers of one answer, which is parsed at once: about 10 ms. */
const batchNumbersMax = 50_000;
/** Vectors that are read from the database at once: about 1 ms. */
const loadSize = 200;
const requestMsMax = 60_000;
/** A process that dies keeps the others waiting for so long. */
const leaseMs = 90_000;
/** How often the vectors that another process makes are looked up, and more for each of them. */
const followMs = 2_000;
const followMsPerText = 0.1;
/** How often progress is reported. */
const reportMs = 5_000;
/** So many texts are refused in a row only if the endpoint does not work. */
const refusedMax = 5;
/** The size of vectors changes at most so often, so that an endpoint with two models costs little. */
const resizeMsMin = 600_000;
const hourMs = 3_600_000;
const touchEveryMs = 24 * hourMs;
/** More vectors are not kept in memory. */
const bytesMax = 512 * 1024 * 1024;
/** Beyond this share of slots without a wanted text, the table is built again. */
const wasteFactor = 2;
const wasteMin = 1024;

const nothingWanted: WantedTexts = { hashes: new Set(), readText: () => "" };

export function createTextVectors(deps: TextVectorDeps): TextVectors {
  const { db, endpoint, health, model, holder, timers, pause, log } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  let wanted = nothingWanted;
  let table = createVectorTable();
  /** Texts that the endpoint refused. They are tried again by the next process. */
  const refused = new Set<string>();
  let refusedInRow = 0;
  let resizedAt = Number.NEGATIVE_INFINITY;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let touchedAt = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | null = null;
  let isHeld = false;
  const settled: Array<() => void> = [];
  let wake = () => {};
  let isResting = false;

  const listMissing = (): string[] =>
    [...wanted.hashes].filter((hash) => !table.has(hash) && !refused.has(hash));

  const progress = () => ({
    texts: wanted.hashes.size,
    // The table may have vectors of texts that are gone.
    vectors: wanted.hashes.size - countMissing(),
  });
  const countMissing = () => {
    let missing = 0;
    for (const hash of wanted.hashes) if (!table.has(hash)) missing += 1;
    return missing;
  };

  const settleAll = () => {
    for (const resolve of settled.splice(0)) resolve();
  };

  /** Waits, but not longer than until the hub closes or the wanted texts change. */
  const rest = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = timers.after(delayMs, () => wake());
      isResting = true;
      wake = () => {
        cancel();
        isResting = false;
        wake = () => {};
        resolve();
      };
      settleAll();
      if (signal.aborted) wake();
    });

  async function load(hashes: readonly string[]): Promise<void> {
    for (let start = 0; start < hashes.length && !signal.aborted; start += loadSize) {
      const portion = hashes.slice(start, start + loadSize);
      keep(await findEmbeddings(db, { model, hashes: portion }));
      await pause();
    }
  }

  /** Vectors of another size are left out, so their texts are still missing. */
  function keep(entries: readonly StoredEmbedding[]): void {
    for (const { hash, vector } of entries) {
      if (table.count() * vector.length >= bytesMax) refused.add(hash);
      else table.put(hash, vector);
    }
  }

  async function holdLease(): Promise<boolean> {
    const at = timers.now();
    isHeld = await claimEmbeddingLease(db, { model, holder, at, expiresAt: at + leaseMs });
    return isHeld;
  }

  async function releaseLease(): Promise<void> {
    if (!isHeld) return;
    isHeld = false;
    await releaseEmbeddingLease(db, { model, holder });
  }

  /** Embeds these texts. Those that the endpoint refuses together are sent in halves. */
  async function make(
    hashes: readonly string[],
    { readText }: Pick<WantedTexts, "readText">,
  ): Promise<void> {
    if (hashes.length === 0 || signal.aborted) return;
    try {
      const texts = hashes.map(readText);
      const vectors = await endpoint.embed(texts, { timeoutMs: requestMsMax, signal });
      health.noteSuccess();
      refusedInRow = 0;
      const entries = vectors.map((vector, at) => ({
        hash: hashes[at] ?? "",
        vector: toSmallVector(vector),
      }));
      resize(entries[0]?.vector.length ?? 0);
      await putEmbeddings(db, { model, entries, at: timers.now() });
      keep(entries);
    } catch (thrown) {
      if (!(thrown instanceof EmbeddingsError) || thrown.code !== "refused") throw thrown;
      if (hashes.length === 1) return refuse(hashes[0] ?? "", thrown);
      const half = Math.ceil(hashes.length / 2);
      await make(hashes.slice(0, half), { readText });
      await make(hashes.slice(half), { readText });
    }
  }

  function refuse(hash: string, failure: EmbeddingsError): void {
    refused.add(hash);
    refusedInRow += 1;
    // A new hub has only a few texts.
    if (refusedInRow < Math.min(refusedMax, wanted.hashes.size)) return;
    refused.clear();
    refusedInRow = 0;
    throw new EmbeddingsError("failed", failure.message, { cause: failure });
  }

  /** The endpoint's size counts. Throws if it changes too often. */
  function resize(dimensions: number): void {
    const current = table.dimensions();
    if (current === null || current === dimensions) return;
    if (timers.now() - resizedAt < resizeMsMin) {
      throw new EmbeddingsError(
        "failed",
        `The embeddings endpoint answered with vectors of ${dimensions} numbers instead of ${current}.`,
      );
    }
    resizedAt = timers.now();
    table.reset(dimensions);
  }

  async function touch(): Promise<void> {
    if (timers.now() - touchedAt < touchEveryMs) return;
    const at = timers.now();
    touchedAt = at;
    const hashes = [...wanted.hashes];
    for (let start = 0; start < hashes.length && !signal.aborted; start += loadSize) {
      const portion = hashes.slice(start, start + loadSize);
      const usedBefore = at - touchEveryMs;
      await touchEmbeddings(db, { model, hashes: portion, at, usedBefore });
      await pause();
    }
  }

  async function report(isDue = true): Promise<void> {
    if (!isDue && timers.now() - reportedAt < reportMs) return;
    reportedAt = timers.now();
    await deps.onProgress(progress());
  }

  /** Makes what is missing; returns how long to wait before the next round, or null if done. */
  async function work(): Promise<number | null> {
    await load(listMissing());
    const missing = listMissing();
    if (missing.length === 0) return null;
    if (health.waitMs() > 0) return health.waitMs();
    const waitMs = followMs + missing.length * followMsPerText;
    if (!(await holdLease())) return waitMs;
    // Another process may have made some before this one got the lease.
    await load(missing);
    const of = wanted;
    const left = missing.filter((hash) => !table.has(hash));
    while (left.length > 0 && of === wanted) {
      if (signal.aborted || !(await holdLease())) return waitMs;
      const size = Math.floor(batchNumbersMax / (table.dimensions() ?? 1));
      await make(left.splice(0, Math.min(Math.max(size, 1), batchSizeMax)), of);
      await report(false);
      await pause();
    }
    return listMissing().length === 0 ? null : 0;
  }

  async function run(): Promise<void> {
    try {
      while (!signal.aborted) {
        const of = wanted;
        const delayMs = await work().catch(noteFailure);
        await releaseLease().catch(noteFailure);
        if (delayMs === null) await touch().catch(noteFailure);
        await report().catch(noteFailure);
        if (delayMs === null && of === wanted) return;
        if (delayMs !== null && delayMs > 0) await rest(delayMs);
      }
    } finally {
      working = null;
      settleAll();
    }
  }

  /** Returns how long to wait. */
  function noteFailure(thrown: unknown): number {
    if (signal.aborted) return 0;
    if (thrown instanceof EmbeddingsError) health.noteFailure(thrown);
    else log.error({ err: thrown }, "The vectors of texts could not be stored");
    return Math.max(health.waitMs(), followMs);
  }

  const start = () => {
    if (signal.aborted) return;
    if (working === null) working = run();
    else wake();
  };

  return {
    follow(next) {
      wanted = next;
      if (table.size() > wasteFactor * next.hashes.size + wasteMin) {
        const dimensions = table.dimensions();
        table = createVectorTable();
        table.reset(dimensions);
      }
      start();
      return table;
    },
    noteDimensions(dimensions) {
      const current = table.dimensions();
      if (current === null || current === dimensions) return;
      try {
        resize(dimensions);
        start();
      } catch (thrown) {
        if (thrown instanceof EmbeddingsError) health.noteFailure(thrown);
      }
    },
    progress,
    hasVectors: () => table.count() > 0,
    settle: () =>
      working === null || isResting
        ? Promise.resolve()
        : new Promise((resolve) => settled.push(resolve)),
    async close() {
      closing.abort(new EmbeddingsError("failed", "The hub is closing."));
      wake();
      await working;
    },
  };
}
