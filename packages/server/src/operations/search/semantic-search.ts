import type { Caller } from "../../caller.ts";
import type { QueryVectors } from "../../embeddings/query-vectors.ts";
import type { SmallVector } from "../../embeddings/small-vector.ts";
import type { TextVectors } from "../../embeddings/text-vectors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Catalogue } from "../catalogue/tool-catalogue.ts";
import type { Meaning } from "./match-tools.ts";
import { createQueryMask } from "./query-mask.ts";
import { buildSemanticIndex, type SemanticIndex } from "./semantic-index.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { VisibleTools } from "./visible-tools.ts";

export type SemanticDeps = {
  texts: Pick<TextVectors, "follow" | "hasVectors">;
  queries: Pick<QueryVectors, "find">;
  timers: Timers;
  log: { error(fields: object, message: string): void };
};

/** Compares queries and operations by meaning. */
export type SemanticSearch = {
  index(catalogue: Catalogue, index: ToolIndex): Promise<SemanticIndex>;
  /**
   * The vectors of a query's alternatives; null for those that are not there in time. `split`
   * finds the alternatives of a query. Never rejects.
   */
  findVectors(asked: AskedQuery): Promise<ReadonlyArray<SmallVector | null>>;
  /** Compares a query with what the caller sees. */
  compare(vector: SmallVector, index: SemanticIndex, visible: VisibleTools): Promise<Meaning>;
};

type AskedQuery = {
  catalogue: Catalogue;
  caller: Caller;
  query: string;
  split(query: string): string[];
  /** The number of alternatives of the query that is searched by words. */
  count: number;
};

/** A search waits no longer for the vectors of its query. */
const waitMsMax = 150;

export function createSemanticSearch(
  { texts, queries, timers, log, ring }: SemanticDeps & { ring: RingHolder },
  pause: () => Promise<void>,
): SemanticSearch {
  const mask = createQueryMask({ ring }, pause);

  async function find(
    { catalogue, caller, query, split, count }: AskedQuery,
    deadline: Promise<void>,
  ): Promise<ReadonlyArray<SmallVector | null>> {
    const plain = await mask.blank(catalogue, caller, query);
    if (plain === null) return [];
    const alternatives = split(plain);
    // A secret had a bar in it, so it is unclear which vector belongs to which alternative.
    if (alternatives.length !== count) return [];
    const asked = alternatives.filter((text) => text !== "");
    const vectors = await queries.find(caller.userId, asked, deadline);
    const byText = new Map(asked.map((text, at) => [text, vectors[at] ?? null]));
    return alternatives.map((text) => byText.get(text) ?? null);
  }

  return {
    index: (catalogue, index) => buildSemanticIndex(texts, catalogue, index, pause),
    async findVectors(asked) {
      // Nothing is there to compare the query with.
      if (!texts.hasVectors()) return [];
      const deadline = Promise.withResolvers<void>();
      const cancel = timers.after(waitMsMax, deadline.resolve);
      try {
        const found = find(asked, deadline.promise).catch((err) => {
          log.error({ err }, "A query could not be compared by meaning");
          return [];
        });
        return await Promise.race([found, deadline.promise.then(() => [])]);
      } finally {
        cancel();
      }
    },
    async compare(vector, { table, rows, operations }, visible) {
      const toCosines = async (slots: Int32Array, wanted: Uint8Array) => {
        const found = new Float32Array(slots.length);
        await table.compare(vector, { slots, wanted, found, pause });
        return found;
      };
      return {
        rows: await toCosines(rows, visible.rows.flags),
        operations: await toCosines(operations, visible.operations.flags),
      };
    },
  };
}
