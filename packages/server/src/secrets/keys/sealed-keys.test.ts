import { expect, test } from "bun:test";
import { openSealedKeys, sealedKeysSchema, sealKeys } from "./sealed-keys.ts";

const keys = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];

/** The file names its cost, so a test can do with the least. */
const cheap = { memoryKib: 32, passes: 1, lanes: 4 };

test("Keys are sealed with 64 MiB and three passes, and opened with their passphrase, in their order", async () => {
  const sealed = sealedKeysSchema.parse(
    JSON.parse(JSON.stringify(await sealKeys(keys, "pässword"))),
  );
  expect(sealed).toMatchObject({ memory_kib: 64 * 1024, passes: 3, lanes: 4 });
  expect(await openSealedKeys(sealed, "pa\u0308ssword")).toEqual(keys);
  expect(JSON.stringify(sealed)).not.toContain("0707");
});

test("Another passphrase and altered parts open nothing", async () => {
  const sealed = await sealKeys(keys, "passphrase", cheap);
  expect(await openSealedKeys(sealed, "Passphrase")).toBeNull();
  expect(await openSealedKeys({ ...sealed, passes: 2 }, "passphrase")).toBeNull();
  const flipped = sealed.sealed.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  expect(await openSealedKeys({ ...sealed, sealed: flipped }, "passphrase")).toBeNull();
});

test("A file cannot ask for gigabytes of memory", async () => {
  const sealed = await sealKeys(keys, "passphrase", cheap);
  const greedy = { ...sealed, memory_kib: 64 * 1024 * 1024 };
  expect(sealedKeysSchema.safeParse(greedy).success).toBe(false);
});
