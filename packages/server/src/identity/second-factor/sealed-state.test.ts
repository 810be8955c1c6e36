import { expect, test } from "bun:test";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { findState, halfWayState, sealState, setUpState } from "./sealed-state.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);
const given = { ring, holder: "browser", now: 1_000_000 };
const state = {
  id: "00000000-0000-4000-8000-000000000001",
  userId: "ada",
  password: "mark",
  destination: "/",
};
const sealed = sealState(given, halfWayState, state);

test("A state opens in its browser until its time is over", () => {
  const at = (now: number) => findState({ ...given, now }, halfWayState, sealed);
  expect(at(given.now)).toEqual(state);
  expect(at(given.now + halfWayState.lastsMs - 1)).toEqual(state);
  expect(at(given.now + halfWayState.lastsMs)).toBeNull();
});

test("A state opens for no other browser, purpose or key, and not when it was changed", () => {
  expect(findState({ ...given, holder: "other" }, halfWayState, sealed)).toBeNull();
  expect(findState(given, setUpState, sealed)).toBeNull();
  const other = createKeyRing([new Uint8Array(32).fill(8)]);
  expect(findState({ ...given, ring: other }, halfWayState, sealed)).toBeNull();
  const bytes = Buffer.from(sealed, "base64url");
  for (const at of [0, 5, 20, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(findState(given, halfWayState, changed.toString("base64url"))).toBeNull();
  }
  for (const text of ["", null, "x", "A".repeat(10_000)]) {
    expect(findState(given, halfWayState, text)).toBeNull();
  }
});
