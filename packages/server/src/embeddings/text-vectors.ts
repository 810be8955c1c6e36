import type { Timers } from "../lib/time/timers.ts";
import type { Db } from "../store/database/database.ts";
import {
  claimEmbeddingLease,
  findEmbeddings,
  putEmbeddings,
  releaseEmbeddingLease,
  touchEmbeddings,
} from "../store/search/embeddings.ts";
import { BackgroundRounds } from "./background-rounds.ts";
import { type EmbeddingsEndpoint, EmbeddingsError } from "./embeddings-endpoint.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { toSmallVector } from "./small-vector.ts";
import type { VectorTable } from "./vector-table.ts";
import { type VectorProgress, type WantedTexts, WantedVectors } from "./wanted-vectors.ts";

/** Keeps the vectors of texts: from the database, or made in the background by the endpoint. */
export type TextVectors = {
  /** Replaces the wanted texts, and returns the table with their slots. Does not wait. */
  follow(wanted: WantedTexts): VectorTable;
  /**
   * Records that the endpoint gives vectors of this size now. Those of another size are made again.
   */
  recordDimensions(dimensions: number): void;
  progress(): VectorProgress;
  /** Whether there is a vector to compare with. */
  hasVectors(): boolean;
  /** Resolves when no text is waiting, or the work must wait for the endpoint. */
  complete(): Promise<void>;
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
/** If an answer takes less than this, twice as many texts would have an answer in time too. */
const quickMs = requestMsMax / 4;
/** A process that dies keeps the others waiting for so long. */
const leaseMs = 90_000;
/** How often the vectors that another process makes are looked up, and more for each of them. */
const followMs = 2_000;
const followMsPerText = 0.1;
/** How often progress is reported. */
const reportMs = 5_000;
const hourMs = 3_600_000;
const touchEveryMs = 24 * hourMs;

export function createTextVectors(deps: TextVectorDeps): TextVectors {
  return new StoredTextVectors(deps);
}

class StoredTextVectors implements TextVectors {
  readonly #deps: TextVectorDeps;
  readonly #closing = new AbortController();
  readonly #signal = this.#closing.signal;
  readonly #vectors = new WantedVectors();
  readonly #rounds: BackgroundRounds;
  /** Texts of the next request: fewer for an endpoint that is slow. */
  #batchSize = batchSizeMax;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #touchedAt = Number.NEGATIVE_INFINITY;
  /** Whether this process has the lease: one process at a time makes vectors. */
  #isHeld = false;

  constructor(deps: TextVectorDeps) {
    this.#deps = deps;
    const { timers } = deps;
    this.#rounds = new BackgroundRounds({
      timers,
      signal: this.#signal,
      round: () => this.#round(),
    });
  }

  follow(wanted: WantedTexts): VectorTable {
    const table = this.#vectors.follow(wanted);
    this.#rounds.start();
    return table;
  }

  recordDimensions(dimensions: number): void {
    try {
      if (this.#vectors.resize(dimensions, this.#deps.timers.now())) this.#rounds.start();
    } catch (thrown) {
      if (thrown instanceof EmbeddingsError) this.#deps.health.recordFailure(thrown);
    }
  }

  progress(): VectorProgress {
    return this.#vectors.count();
  }

  hasVectors(): boolean {
    return this.#vectors.hasAny();
  }

  async complete(): Promise<void> {
    await this.#rounds.complete();
  }

  async close(): Promise<void> {
    this.#closing.abort(new EmbeddingsError("failed", "The hub is closing."));
    await this.#rounds.stop();
  }

  async #round(): Promise<number | null> {
    const of = this.#vectors.texts();
    const recordFailure = (thrown: unknown) => this.#recordFailure(thrown);
    const delayMs = await this.#makeMissing().catch(recordFailure);
    await this.#releaseLease().catch(recordFailure);
    if (delayMs === null) await this.#touch().catch(recordFailure);
    await this.#report().catch(recordFailure);
    return delayMs === null && of !== this.#vectors.texts() ? 0 : delayMs;
  }

  /** Makes what is missing; returns how long to wait before the next round, or null if done. */
  async #makeMissing(): Promise<number | null> {
    const { health, pause } = this.#deps;
    await this.#load(this.#vectors.listMissing());
    const missing = this.#vectors.listMissing();
    if (missing.length === 0) return null;
    if (health.waitMs() > 0) return health.waitMs();
    const waitMs = followMs + missing.length * followMsPerText;
    if (!(await this.#holdLease())) return waitMs;
    // Another process may have made some before this one got the lease.
    await this.#load(missing);
    const of = this.#vectors.texts();
    const left = missing.filter((hash) => !this.#vectors.has(hash));
    while (left.length > 0 && of === this.#vectors.texts()) {
      if (this.#signal.aborted || !(await this.#holdLease())) return waitMs;
      const size = Math.floor(batchNumbersMax / (this.#vectors.dimensions() ?? 1));
      await this.#make(left.splice(0, Math.min(Math.max(size, 1), this.#batchSize)), of);
      await this.#report(false);
      await pause();
    }
    return this.#vectors.listMissing().length === 0 ? null : 0;
  }

  async #load(hashes: readonly string[]): Promise<void> {
    const { db, model } = this.#deps;
    await this.#inPortions(hashes, async (portion) => {
      this.#vectors.keep(await findEmbeddings(db, { model, hashes: portion }));
    });
  }

  /**
   * Embeds these texts. Those that the endpoint refuses together are sent in halves. If they take too long, the next
   * round sends half as many at once; a text that takes too long alone counts as refused.
   */
  async #make(hashes: readonly string[], of: Pick<WantedTexts, "readText">): Promise<void> {
    if (hashes.length === 0 || this.#signal.aborted) return;
    const { db, endpoint, health, model, timers } = this.#deps;
    const sentAt = timers.now();
    try {
      const texts = hashes.map(of.readText);
      const options = { timeoutMs: requestMsMax, signal: this.#signal };
      const vectors = await endpoint.embed(texts, options);
      health.recordSuccess();
      this.#vectors.recordAnswer();
      if (hashes.length >= this.#batchSize && timers.now() - sentAt < quickMs) {
        this.#batchSize = Math.min(2 * this.#batchSize, batchSizeMax);
      }
      const entries = vectors.map((vector, at) => ({
        hash: hashes[at] ?? "",
        vector: toSmallVector(vector),
      }));
      this.#vectors.resize(entries[0]?.vector.length ?? 0, timers.now());
      await putEmbeddings(db, { model, entries, at: timers.now() });
      this.#vectors.keep(entries);
    } catch (thrown) {
      if (!(thrown instanceof EmbeddingsError) || thrown.code === "failed") throw thrown;
      if (hashes.length === 1) return this.#vectors.refuse(hashes[0] ?? "", thrown);
      const half = Math.ceil(hashes.length / 2);
      if (thrown.code === "timed_out") {
        this.#batchSize = half;
        throw thrown;
      }
      await this.#make(hashes.slice(0, half), of);
      await this.#make(hashes.slice(half), of);
    }
  }

  async #holdLease(): Promise<boolean> {
    const { db, model, holder, timers } = this.#deps;
    const at = timers.now();
    this.#isHeld = await claimEmbeddingLease(db, { model, holder, at, expiresAt: at + leaseMs });
    return this.#isHeld;
  }

  async #releaseLease(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { db, model, holder } = this.#deps;
    await releaseEmbeddingLease(db, { model, holder });
  }

  /** Marks the vectors as used, so that they are not purged. */
  async #touch(): Promise<void> {
    const { db, model, timers } = this.#deps;
    if (timers.now() - this.#touchedAt < touchEveryMs) return;
    const at = timers.now();
    this.#touchedAt = at;
    const usedBefore = at - touchEveryMs;
    await this.#inPortions([...this.#vectors.texts().hashes], (portion) =>
      touchEmbeddings(db, { model, hashes: portion, at, usedBefore }),
    );
  }

  async #inPortions(
    hashes: readonly string[],
    act: (portion: readonly string[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < hashes.length && !this.#signal.aborted; start += loadSize) {
      await act(hashes.slice(start, start + loadSize));
      await this.#deps.pause();
    }
  }

  async #report(isDue = true): Promise<void> {
    const { timers, onProgress } = this.#deps;
    if (!isDue && timers.now() - this.#reportedAt < reportMs) return;
    this.#reportedAt = timers.now();
    await onProgress(this.progress());
  }

  /** Returns how long to wait. */
  #recordFailure(thrown: unknown): number {
    const { health, log } = this.#deps;
    if (this.#signal.aborted) return 0;
    if (thrown instanceof EmbeddingsError) health.recordFailure(thrown);
    else log.error({ err: thrown }, "The vectors of texts could not be stored");
    return Math.max(health.waitMs(), followMs);
  }
}
