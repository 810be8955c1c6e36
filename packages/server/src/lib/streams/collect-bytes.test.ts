import { expect, test } from "bun:test";
import { createByteCollector } from "./collect-bytes.ts";

test("Pieces of every size are joined in their order", () => {
  const all = crypto.getRandomValues(new Uint8Array(60_000));
  for (const sizes of [[1], [1, 20_000, 3], [16_384, 1], [1023, 2], [60_000]]) {
    const collector = createByteCollector();
    for (let start = 0, turn = 0; start < all.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      collector.add(all.subarray(start, start + size));
      start += size;
    }
    expect(Buffer.compare(collector.take(), all)).toBe(0);
  }
  expect(createByteCollector().take()).toHaveLength(0);
});

test("A million pieces of one byte hold at most twice their bytes", () => {
  const collector = createByteCollector();
  const piece = Uint8Array.of(120);
  for (let bytes = 1; bytes <= 1_000_000; bytes += 1) {
    collector.add(piece);
    if (collector.heldBytes() > 2 * bytes + 1024) throw new Error(`${collector.heldBytes()}`);
  }
  expect(collector.take()).toHaveLength(1_000_000);
});

test("A small piece between large ones does not keep a whole block", () => {
  const collector = createByteCollector();
  for (let round = 0; round < 20; round += 1) {
    collector.add(new Uint8Array(16 * 1024));
    collector.add(Uint8Array.of(1));
  }
  expect(collector.heldBytes()).toBeLessThan(20 * 17 * 1024 + 64 * 1024);
});
