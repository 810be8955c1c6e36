import { describe, expect, test } from "bun:test";
import type { TestStores } from "../testing/test-stores.ts";
import {
  claimEmbeddingLease,
  findEmbeddings,
  purgeEmbeddings,
  putEmbeddings,
  releaseEmbeddingLease,
  touchEmbeddings,
} from "./embeddings.ts";

const model = "small";
const vector = Int8Array.of(-127, 0, 127);

export function describeEmbeddings(stores: () => TestStores): void {
  describe("embeddings", () => {
    const put = (hashes: string[], at: number, of = model) =>
      putEmbeddings(stores().store.db, {
        model: of,
        entries: hashes.map((hash) => ({ hash, vector })),
        at,
      });
    const listHashes = async (of = model) => {
      const found = await findEmbeddings(stores().store.db, {
        model: of,
        hashes: ["a", "b", "c"],
      });
      return found.map(({ hash }) => hash).sort();
    };

    test("A vector is found by its model and the hash of its text, and replaced", async () => {
      const { db } = stores().store;
      await put(["a"], 1);
      expect(await findEmbeddings(db, { model, hashes: ["a", "b"] })).toEqual([
        { hash: "a", vector },
      ]);
      expect(await listHashes("other")).toEqual([]);
      const next = Int8Array.of(1);
      await putEmbeddings(db, { model, entries: [{ hash: "a", vector: next }], at: 2 });
      expect(await findEmbeddings(db, { model, hashes: ["a"] })).toEqual([
        { hash: "a", vector: next },
      ]);
    });

    test("Unused vectors are purged in portions, the oldest first, of every model", async () => {
      const { db } = stores().store;
      await put(["a"], 1, "other");
      await put(["a", "b"], 2);
      await put(["c"], 3);
      await touchEmbeddings(db, { model, hashes: ["b", "c"], at: 9, usedBefore: 3 });
      expect(await purgeEmbeddings(db, { usedBefore: 9, limit: 2 })).toBe(2);
      expect([await listHashes("other"), await listHashes()]).toEqual([[], ["b", "c"]]);
      expect(await purgeEmbeddings(db, { usedBefore: 9, limit: 2 })).toBe(1);
      expect(await listHashes()).toEqual(["b"]);
    });

    test("One holder at a time has the lease of a model, until it ends or is released", async () => {
      const { db } = stores().store;
      const claim = (holder: string, at: number) =>
        claimEmbeddingLease(db, { model, holder, at, expiresAt: at + 10 });
      expect(await claim("first", 100)).toBeTrue();
      expect(await claim("second", 109)).toBeFalse();
      expect(await claim("first", 109)).toBeTrue();
      expect(await claim("second", 110)).toBeFalse();
      expect(await claim("second", 119)).toBeTrue();
      await releaseEmbeddingLease(db, { model, holder: "first" });
      expect(await claim("first", 120)).toBeFalse();
      await releaseEmbeddingLease(db, { model, holder: "second" });
      expect(await claim("first", 120)).toBeTrue();
    });

    test("A lease that a wrong clock wrote does not last", async () => {
      const { db } = stores().store;
      const year = 365 * 86_400_000;
      await claimEmbeddingLease(db, { model, holder: "first", at: year, expiresAt: year + 10 });
      const second = { model, holder: "second", at: 100, expiresAt: 110 };
      expect(await claimEmbeddingLease(db, second)).toBeTrue();
    });
  });
}
