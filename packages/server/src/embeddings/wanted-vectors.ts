import type { StoredEmbedding } from "../store/search/embeddings.ts";
import { EmbeddingsError } from "./embeddings-endpoint.ts";
import { createVectorTable, type VectorTable } from "./vector-table.ts";

/** The texts to compare queries with: their hashes, and how to read a text again. */
export type WantedTexts = { hashes: ReadonlySet<string>; readText(hash: string): string };

export type VectorProgress = { texts: number; vectors: number };

/** So many texts are refused in a row only if the endpoint does not work. */
const refusedMax = 5;
/** The size of vectors changes at most so often, so that an endpoint with two models costs little. */
const resizeMsMin = 600_000;
/** More vectors are not kept in memory. */
const bytesMax = 512 * 1024 * 1024;
/** Beyond this share of slots without a wanted text, the table is built again. */
const wasteFactor = 2;
const wasteMin = 1024;

const nothingWanted: WantedTexts = { hashes: new Set(), readText: () => "" };

/** The wanted texts and the vectors of them that are in memory. */
export class WantedVectors {
  #wanted = nothingWanted;
  #table = createVectorTable();
  /** Texts that the endpoint refused. They are tried again by the next process. */
  readonly #refused = new Set<string>();
  #refusedInRow = 0;
  #resizedAt = Number.NEGATIVE_INFINITY;

  /** Replaces the wanted texts, and returns the table with their slots. */
  follow(wanted: WantedTexts): VectorTable {
    this.#wanted = wanted;
    if (this.#table.size() > wasteFactor * wanted.hashes.size + wasteMin) {
      const dimensions = this.#table.dimensions();
      this.#table = createVectorTable();
      this.#table.reset(dimensions);
    }
    return this.#table;
  }

  texts(): WantedTexts {
    return this.#wanted;
  }

  has(hash: string): boolean {
    return this.#table.has(hash);
  }

  hasAny(): boolean {
    return this.#table.count() > 0;
  }

  /** How many numbers each vector has. Null before the first one. */
  dimensions(): number | null {
    return this.#table.dimensions();
  }

  listMissing(): string[] {
    return [...this.#wanted.hashes].filter((hash) => !this.has(hash) && !this.#refused.has(hash));
  }

  count(): VectorProgress {
    // The table may have vectors of texts that are gone.
    let vectors = 0;
    for (const hash of this.#wanted.hashes) if (this.has(hash)) vectors += 1;
    return { texts: this.#wanted.hashes.size, vectors };
  }

  /** Vectors of another size are left out, so their texts are still missing. */
  keep(entries: readonly StoredEmbedding[]): void {
    for (const { hash, vector } of entries) {
      if (this.#table.count() * vector.length >= bytesMax) this.#refused.add(hash);
      else this.#table.put(hash, vector);
    }
  }

  /** Records that the endpoint works. */
  recordAnswer(): void {
    this.#refusedInRow = 0;
  }

  /** Leaves a text out. Throws if so many were refused in a row that the endpoint does not work. */
  refuse(hash: string, failure: EmbeddingsError): void {
    this.#refused.add(hash);
    this.#refusedInRow += 1;
    // A new hub has only a few texts.
    if (this.#refusedInRow < Math.min(refusedMax, this.#wanted.hashes.size)) return;
    this.#refused.clear();
    this.#refusedInRow = 0;
    throw new EmbeddingsError("failed", failure.message, { cause: failure });
  }

  /** The endpoint's size counts. False if the vectors have it already. Throws if it changes too often. */
  resize(dimensions: number, at: number): boolean {
    const current = this.#table.dimensions();
    if (current === null || current === dimensions) return false;
    if (at - this.#resizedAt < resizeMsMin) {
      throw new EmbeddingsError(
        "failed",
        `The embeddings endpoint answered with vectors of ${dimensions} numbers instead of ${current}.`,
      );
    }
    this.#resizedAt = at;
    this.#table.reset(dimensions);
    return true;
  }
}
