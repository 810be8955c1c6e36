import { afterEach, beforeEach, expect, test } from "bun:test";
import { createKeyRing, formatKeyId } from "../../secrets/keys/key-ring.ts";
import { readKeyFile } from "../../store/data-folder/key-file.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { checkSealingKey } from "./sealing-key.ts";

const [old, next, strange] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const toId = (key: Uint8Array) => formatKeyId(createKeyRing([key]).sealing.id);

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeEach(async () => {
  hub = await openTestServices({ HUB_ENC_KEY: old.toHex() });
});
afterEach(() => hub.close());

const check = (...keys: Uint8Array[]) => checkSealingKey(hub.deps.store, createKeyRing(keys));

test("Keys change in two steps, and each step refuses servers that are two steps behind", async () => {
  await check(old);
  await check(old, next);
  await check(old);
  await check(next, old);
  await expect(check(old)).rejects.toThrow(
    `HUB_ENC_KEY lacks the key ${toId(next)}, which encrypts the secrets of this database; it has ${toId(old)}.`,
  );
  // A server of the first step that starts again changes nothing.
  await check(old, next);
  await expect(check(old)).rejects.toMatchObject({ code: "bad_configuration" });
  await check(next);
});

test("The keys of another hub are refused", async () => {
  await check(old);
  await expect(check(strange)).rejects.toThrow("hub keys adopt");
});

test("Of two first starts at once with different keys, one is refused", async () => {
  const starts = await Promise.allSettled([check(old), check(next)]);
  expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("A database without a record is checked by its secrets", async () => {
  const ring = hub.deps.ring.current();
  await hub.admin.rows.add({ connector: "tracker", label: "Row", values: { token: "secret" } });
  await expect(check(strange)).rejects.toThrow(formatKeyId(ring.sealing.id));
  await checkSealingKey(hub.deps.store, ring);
  await expect(check(old)).rejects.toThrow(formatKeyId(ring.sealing.id));
});

test("A rotation with HUB_ENC_KEY records its first key again", async () => {
  const ring = hub.deps.ring.current();
  await checkSealingKey(hub.deps.store, ring);
  const [keys] = (await readKeyFile(hub.dataDir)) ?? [];
  await check(next, keys ?? strange);
  await expect(checkSealingKey(hub.deps.store, ring)).rejects.toThrow(toId(next));
  // Its ring has the first key only.
  await hub.admin.keys.rotate();
  await checkSealingKey(hub.deps.store, ring);
});
