import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createKeyRing, type KeyRing } from "../../secrets/keys/key-ring.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import { findValue, openText, sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openParams, openWithPresentKeys } from "./open-params.ts";

const owner = { userId: "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b", rowId: null };
const ringOf = (...bytes: number[]) =>
  createKeyRing(bytes.map((byte) => new Uint8Array(32).fill(byte)));

function holdRing(known: KeyRing, present: KeyRing) {
  const reads = { count: 0 };
  const holder = {
    current: () => known,
    async reload() {
      reads.count += 1;
      return present;
    },
  };
  return { reads, holder };
}

test("A token of a new key opens after one reload of the keys", async () => {
  const { reads, holder } = holdRing(ringOf(1), ringOf(2, 1));
  const token = sealValue(ringOf(2), owner, "sealed a moment ago");
  const open = (ring: KeyRing) => openText(ring, owner, `Bearer ${token}`);
  expect(await openWithPresentKeys(holder, open)).toBe("Bearer sealed a moment ago");
  expect(reads.count).toBe(1);
});

test("A token that opens causes no reload of the keys", async () => {
  const { reads, holder } = holdRing(ringOf(1), ringOf(2, 1));
  const open = (ring: KeyRing) => openText(ring, owner, sealValue(ringOf(1), owner, "old"));
  expect(await openWithPresentKeys(holder, open)).toBe("old");
  expect(reads.count).toBe(0);
});

test("A token of a missing key is refused, and other errors cause no reload", async () => {
  const { reads, holder } = holdRing(ringOf(2, 1), ringOf(2));
  const token = sealValue(ringOf(3), owner, "of a removed key");
  const opening = openWithPresentKeys(holder, (ring) => openText(ring, owner, token));
  await expect(opening).rejects.toMatchObject({ code: "token_invalid" });
  expect(reads.count).toBe(1);

  const failure = new HubError("upstream_error", "It is nested too deeply.");
  const failing = openWithPresentKeys(holder, () => {
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(reads.count).toBe(1);
});

test("A secret of the row that the caller writes around a token of his own stays the row's", () => {
  const ring = ringOf(1);
  const rowId = "0d9c3f1e-7a54-4b1c-9d42-5a6b7c8d9e0f";
  const rowSecret = "unguessable-9f3a7c";
  const mask = createMask({ ring, userId: owner.userId, enabled: true });
  mask.bindRow(rowId);
  mask.addSecret(rowSecret, { ofRow: true });
  const text = `Basic ${btoa(`:${rowSecret}`)} Bearer ${sealValue(ring, owner, "held")}-prod`;
  openParams({ ring, mask, fields: [] }, { ...owner, rowId }, { text });
  const [forRow, forUser] = [{ ...owner, rowId }, owner].map((of) =>
    findValue(ring, of, mask.sealText(rowSecret)),
  );
  expect([forRow, forUser]).toEqual([rowSecret, null]);
});
