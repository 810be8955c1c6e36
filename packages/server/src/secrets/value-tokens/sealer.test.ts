import { expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { noRowId } from "./no-row-id.ts";
import { createSealer } from "./sealer.ts";
import { findValue, sealValue } from "./value-tokens.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const rowId = "0b9a6f1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const otherRowId = "00000000-0000-4000-8000-000000000001";

test("A token of the row is genuine as soon as the call is bound to its row", () => {
  const sealer = createSealer({ ring, userId });
  const token = sealValue(ring, { userId, rowId }, "value");
  expect(sealer.isGenuine(token)).toBeFalse();
  sealer.bindRow(rowId);
  expect(sealer.isGenuine(token)).toBeTrue();
});

test("A call can be bound to one row only; binding it to the same row again is allowed", () => {
  const sealer = createSealer({ ring, userId });
  sealer.bindRow(rowId);
  sealer.bindRow(rowId);
  expect(() => sealer.bindRow(otherRowId)).toThrow("bound to one row");
});

test("A secret of a row is not sealed before the row is known, and opens for that row only", () => {
  const sealer = createSealer({ ring, userId });
  expect(() => sealer.seal("value", true)).toThrow("before its row is known");
  sealer.bindRow(rowId);
  const token = sealer.seal("value", true);
  expect(findValue(ring, { userId, rowId }, token)).toBe("value");
  expect(findValue(ring, { userId, rowId: otherRowId }, token)).toBeNull();
});

test("HUB_ROW_TOKENS=user makes tokens of a row's secrets that open in all calls of the user", () => {
  const sealer = createSealer({ ring, userId, rowTokens: "user" });
  expect(findValue(ring, { userId, rowId: null }, sealer.seal("value", true))).toBe("value");
});

test("Tokens that open nowhere do so with HUB_ROW_TOKENS=user too", () => {
  const sealer = createSealer({ ring, userId, rowTokens: "user" });
  sealer.bindRow(noRowId);
  const token = sealer.seal("value", true);
  expect(findValue(ring, { userId, rowId: null }, token)).toBeNull();
  expect(findValue(ring, { userId, rowId }, token)).toBeNull();
});

test("The same text is sealed once for the user and once for the row", () => {
  const sealer = createSealer({ ring, userId });
  sealer.bindRow(rowId);
  const [ofUser, ofRow] = [sealer.seal("value", false), sealer.seal("value", true)];
  expect(ofUser).not.toBe(ofRow);
  expect([sealer.seal("value", false), sealer.seal("value", true)]).toEqual([ofUser, ofRow]);
  expect(findValue(ring, { userId, rowId: null }, ofUser)).toBe("value");
});
