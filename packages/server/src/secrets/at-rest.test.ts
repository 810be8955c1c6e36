import { describe, expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { findKeyId, openAtRest, sealAtRest } from "./at-rest.ts";
import { createKeyRing } from "./key-ring.ts";

const keyOne = Uint8Array.from({ length: 32 }, (_, index) => index);
const keyTwo = Uint8Array.from({ length: 32 }, (_, index) => index + 32);
const ring = createKeyRing([keyOne]);
const place = { table: "row_values", row: "row-1", field: "token" };

describe("sealAtRest and openAtRest", () => {
  // Written by Python's `cryptography`, on OpenSSL.
  test.each([
    [
      place,
      "hunter2",
      "014705c2306465666768696a6b6c6d6e6f19af16d4a910d40c68bebb7d072096347383d81e386200",
    ],
    [place, "", "014705c230000000000000000000000000ee8e114532ed34efe05d065026dd362d"],
    [
      { table: "row_values", row: "0190d5f2-7c1a-7000-8000-000000000001", field: "pässword" },
      "-----BEGIN KEY-----\nпароль 🔑\n",
      "012bb7a37a000102030405060708090a0be5271a20c47e5e13d3388766f7682298fbbe0d5b21cc819cfc59faa9baae454dbc9a17eae131778a9c9d95acaeb988fa5fb4c84b7801",
    ],
  ])("known answer: what another implementation sealed for %j opens, and will for ever", (at, text, hex) => {
    const both = createKeyRing([keyOne, keyTwo]);
    expect(openAtRest(both, at, Buffer.from(hex, "hex"))).toBe(text);
  });

  test.each([
    "",
    "x",
    "pässwörd 🔑",
    "\ufeffBOM\r\n",
    "k".repeat(100_000),
  ])("gives back the text as it was", (text) => {
    expect(openAtRest(ring, place, sealAtRest(ring, place, text))).toBe(text);
  });

  test("equal secrets look different in the database", () => {
    expect(sealAtRest(ring, place, "hunter2")).not.toEqual(sealAtRest(ring, place, "hunter2"));
  });

  test("a secret opens in its own table, row and field only", () => {
    const sealed = sealAtRest(ring, place, "hunter2");
    const others = [
      { ...place, table: "settings" },
      { ...place, row: "row-2" },
      { ...place, field: "password" },
      // The same letters, divided otherwise.
      { table: "row_valuesrow", row: "-1", field: "token" },
      { table: "row_values", row: "row-1token", field: "" },
    ];
    for (const other of others) expectBadConfiguration(() => openAtRest(ring, other, sealed));
  });

  test("every altered byte and every truncation is refused", () => {
    const sealed = sealAtRest(ring, place, "hunter2");
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Uint8Array.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expectBadConfiguration(() => openAtRest(ring, place, altered));
      expectBadConfiguration(() => openAtRest(ring, place, sealed.subarray(0, index)));
    }
  });

  test("what was sealed before a rotation opens after it (trap 6)", () => {
    const sealed = sealAtRest(ring, place, "hunter2");
    const rotated = createKeyRing([keyTwo, keyOne]);
    expect(openAtRest(rotated, place, sealed)).toBe("hunter2");
    expect(findKeyId(sealed)).toBe(ring.sealing.id);
    expect(findKeyId(sealAtRest(rotated, place, "hunter2"))).toBe(rotated.sealing.id);
  });

  test("a secret whose key was removed fails, naming the key and what to do (trap 6)", () => {
    const sealed = sealAtRest(ring, place, "hunter2");
    const failure = expectBadConfiguration(() =>
      openAtRest(createKeyRing([keyTwo]), place, sealed),
    );
    expect(failure.message).toContain("4705c230");
    expect(failure.message).toContain('"token"');
    expect(failure.message).toContain("HUB_ENC_KEY");
  });

  test("a value token's key opens nothing at rest: each purpose has its own", () => {
    expect(ring.sealing.derive("hub-rest-v1", new Uint8Array())).not.toEqual(
      ring.sealing.derive("hub-enc-v1", new Uint8Array()),
    );
  });
});

test("findKeyId knows what is no stored secret", () => {
  expect(findKeyId(new Uint8Array())).toBeNull();
  expect(findKeyId(new Uint8Array(60))).toBeNull();
  expect(findKeyId(sealAtRest(ring, place, "").subarray(1))).toBeNull();
});

function expectBadConfiguration(run: () => unknown): HubError {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    expect(thrown.code).toBe("bad_configuration");
    return thrown;
  }
  throw new Error("Nothing was thrown");
}
