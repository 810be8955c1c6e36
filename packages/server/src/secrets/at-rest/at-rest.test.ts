import { describe, expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import {
  findKeyId,
  openAtRest,
  openStored,
  resealAtRest,
  sealAtRest,
  sealReference,
} from "./at-rest.ts";

const keyOne = Uint8Array.from({ length: 32 }, (_, index) => index);
const keyTwo = Uint8Array.from({ length: 32 }, (_, index) => index + 32);
const ring = createKeyRing([keyOne]);
const location = { table: "row_values", row: "row-1", field: "token" };

test("A reference is never opened as a secret, nor a secret as a reference", () => {
  const text = "env:HUB_SECRET_TRACKER";
  const reference = sealReference(ring, location, text);
  const secret = sealAtRest(ring, location, text);
  expect(openStored(ring, location, reference)).toEqual({ kind: "reference", text });
  expect(openStored(ring, location, secret)).toEqual({ kind: "secret", text });
  expect(() => openAtRest(ring, location, reference)).toThrow("is kept outside the hub");
  // The first byte is authenticated.
  for (const sealed of [reference, secret]) {
    const changed = Uint8Array.from(sealed);
    changed[0] = 3 - (sealed[0] ?? 0);
    expect(() => openStored(ring, location, changed)).toThrow("cannot be opened");
  }
  const both = createKeyRing([keyTwo, keyOne]);
  const resealed = resealAtRest(both, location, reference);
  expect(findKeyId(resealed)).toBe(both.sealing.id);
  expect(openStored(both, location, resealed)).toEqual({ kind: "reference", text });
});

describe("sealAtRest and openAtRest", () => {
  // Created by Python's `cryptography`, which uses OpenSSL.
  test.each([
    [
      location,
      "hunter2",
      "014705c2306465666768696a6b6c6d6e6f19af16d4a910d40c68bebb7d072096347383d81e386200",
    ],
    [location, "", "014705c230000000000000000000000000ee8e114532ed34efe05d065026dd362d"],
    [
      { table: "row_values", row: "0190d5f2-7c1a-7000-8000-000000000001", field: "pässword" },
      "-----BEGIN KEY-----\nпароль 🔑\n",
      "012bb7a37a000102030405060708090a0be5271a20c47e5e13d3388766f7682298fbbe0d5b21cc819cfc59faa9baae454dbc9a17eae131778a9c9d95acaeb988fa5fb4c84b7801",
    ],
  ])("A value that another implementation sealed for %j opens (known answer)", (at, text, hex) => {
    const both = createKeyRing([keyOne, keyTwo]);
    expect(openAtRest(both, at, Buffer.from(hex, "hex"))).toBe(text);
  });

  test.each([
    "",
    "x",
    "pässwörd 🔑",
    "\ufeffBOM\r\n",
    "k".repeat(100_000),
  ])("An opened secret is exactly the sealed text", (text) => {
    expect(openAtRest(ring, location, sealAtRest(ring, location, text))).toBe(text);
  });

  test("Equal secrets have different bytes in the database", () => {
    expect(sealAtRest(ring, location, "hunter2")).not.toEqual(
      sealAtRest(ring, location, "hunter2"),
    );
  });

  test("A secret opens only for its own table, row and field", () => {
    const sealed = sealAtRest(ring, location, "hunter2");
    const others = [
      { ...location, table: "settings" },
      { ...location, row: "row-2" },
      { ...location, field: "password" },
      // The same letters, split in another location.
      { table: "row_valuesrow", row: "-1", field: "token" },
      { table: "row_values", row: "row-1token", field: "" },
    ];
    for (const other of others) expectBadConfiguration(() => openAtRest(ring, other, sealed));
  });

  test("Every altered byte and every truncation is refused", () => {
    const sealed = sealAtRest(ring, location, "hunter2");
    expect(sealed.length).toBeGreaterThan(30);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Uint8Array.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expectBadConfiguration(() => openAtRest(ring, location, altered));
      expectBadConfiguration(() => openAtRest(ring, location, sealed.subarray(0, index)));
    }
  });

  test("A secret that was sealed before a rotation opens after it (trap 6)", () => {
    const sealed = sealAtRest(ring, location, "hunter2");
    const rotated = createKeyRing([keyTwo, keyOne]);
    expect(openAtRest(rotated, location, sealed)).toBe("hunter2");
    expect(findKeyId(sealed)).toBe(ring.sealing.id);
    expect(findKeyId(sealAtRest(rotated, location, "hunter2"))).toBe(rotated.sealing.id);
  });

  test("A secret whose key was removed fails with the key's id and advice (trap 6)", () => {
    const sealed = sealAtRest(ring, location, "hunter2");
    const failure = expectBadConfiguration(() =>
      openAtRest(createKeyRing([keyTwo]), location, sealed),
    );
    expect(failure.message).toContain("4705c230");
    expect(failure.message).toContain('"token"');
    expect(failure.message).toContain("HUB_ENC_KEY");
  });

  test("The key for value tokens opens no stored secret, because each purpose has its own key", () => {
    expect(ring.sealing.derive("hub-rest-v1", new Uint8Array())).not.toEqual(
      ring.sealing.derive("hub-enc-v1", new Uint8Array()),
    );
  });
});

test("findKeyId returns null for bytes that are not a stored secret", () => {
  expect(findKeyId(new Uint8Array())).toBeNull();
  expect(findKeyId(new Uint8Array(60))).toBeNull();
  expect(findKeyId(sealAtRest(ring, location, "").subarray(1))).toBeNull();
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
