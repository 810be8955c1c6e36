import { expect, test } from "bun:test";
import { createKeyRing, type KeyRing } from "./key-ring.ts";
import { createRingHolder } from "./ring-holder.ts";

const ringOf = (byte: number) => createKeyRing([new Uint8Array(32).fill(byte)]);

test("A slow read of the old keys does not replace a later read of the new keys", async () => {
  const [first, old, rotated] = [ringOf(1), ringOf(2), ringOf(3)];
  const loads = [first, old, rotated].map(() => Promise.withResolvers<KeyRing>());
  let load = 0;
  loads[0]?.resolve(first);
  const holder = await createRingHolder(async () => await (loads[load++]?.promise ?? first));

  const slow = holder.reload();
  const later = holder.reload();
  loads[2]?.resolve(rotated);
  expect(await later).toBe(rotated);
  loads[1]?.resolve(old);
  // An earlier caller also gets the newest ring.
  expect(await slow).toBe(rotated);
  expect(holder.current()).toBe(rotated);
});

test("A failed load keeps the current ring", async () => {
  const ring = ringOf(1);
  let isGone = false;
  const holder = await createRingHolder(async () => {
    if (isGone) throw new Error("no key file");
    return ring;
  });
  isGone = true;
  await expect(holder.reload()).rejects.toThrow("no key file");
  expect(holder.current()).toBe(ring);
});
