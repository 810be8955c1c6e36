import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { HubError } from "../../errors.ts";
import { createKeyRing, formatKeyId, parseKeyList, toKeyId } from "./key-ring.ts";

const one = Uint8Array.from({ length: 32 }, (_, index) => index);
const two = Uint8Array.from({ length: 32 }, (_, index) => index + 32);
const hex = Buffer.from(one).toString("hex");

describe("createKeyRing", () => {
  test("The first key seals, and every key is found by its derived id", () => {
    const ring = createKeyRing([one, two]);
    expect(formatKeyId(ring.sealing.id)).toBe("4705c230");
    expect([...ring.keys.keys()].map(formatKeyId)).toEqual(["4705c230", "2bb7a37a"]);
    expect(toKeyId(two)).toBe(0x2bb7a37a);
  });

  test("Duplicate keys count once", () => {
    expect(createKeyRing([one, two, one]).keys.size).toBe(2);
  });

  test("The ring keeps its key if the caller clears the given bytes", () => {
    const given = Uint8Array.from(one);
    const ring = createKeyRing([given]);
    given.fill(0);
    expect(ring.sealing.derive("p", two)).toEqual(createKeyRing([one]).sealing.derive("p", two));
  });

  test("Each purpose and salt has its own derived key, which stays the same", () => {
    const { sealing } = createKeyRing([one]);
    const first = sealing.derive("a", one);
    expect(sealing.derive("a", one)).toBe(first);
    expect(sealing.derive("b", one)).not.toEqual(first);
    expect(sealing.derive("a", two)).not.toEqual(first);
  });

  test("The number of cached derived keys is limited, and a removed one is derived again with the same value", () => {
    const { sealing } = createKeyRing([one]);
    const first = sealing.derive("a", Uint8Array.of(1));
    for (let index = 0; index < 1_000; index += 1) sealing.derive("b", Buffer.from(String(index)));
    const again = sealing.derive("a", Uint8Array.of(1));
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });

  test("No log and no inspector shows a key", () => {
    const ring = createKeyRing([one, two]);
    const shown = JSON.stringify(ring) + inspect(ring, { showHidden: true, depth: 9 });
    for (const key of [one, two]) {
      expect(shown).not.toContain(Buffer.from(key).toString("hex"));
      expect(shown).not.toContain([...key].slice(0, 5).join(", "));
    }
    expect(Bun.inspect(ring)).not.toContain("Uint8Array");
  });

  test("An empty ring and keys of another length are refused", () => {
    expect(() => createKeyRing([])).toThrow("at least one key");
    expect(() => createKeyRing([one.subarray(1)])).toThrow("32 bytes");
  });
});

describe("parseKeyList", () => {
  const base64 = Buffer.from(two).fill(0xfb).toString("base64");

  test.each([
    ["hex", hex],
    ["hex in capitals", hex.toUpperCase()],
    ["base64", Buffer.from(one).toString("base64")],
    ["base64 without padding", Buffer.from(one).toString("base64").replace("=", "")],
    ["base64url", Buffer.from(one).toString("base64url")],
  ])("A key in %s is read", (_name, text) => {
    expect(parseKeyList(text)).toEqual([one]);
  });

  test("Base64 with + and / and base64url with - and _ give the same key", () => {
    const url = base64.replaceAll("+", "-").replaceAll("/", "_");
    expect(base64).toMatch(/[+/]/);
    expect(parseKeyList(base64)).toEqual(parseKeyList(url));
  });

  test("Several keys with spaces around them are read in order", () => {
    expect(parseKeyList(` ${hex} , ${Buffer.from(two).toString("base64")}\n`)).toEqual([one, two]);
  });

  test.each([
    ["an empty list", "", "HUB_ENC_KEY: is empty"],
    ["an empty entry", `${hex},`, "entry 2 of 2 is empty"],
    ["too few hex digits", hex.slice(1), "has 63 hex digits instead of 64"],
    ["too short base64", "c2hvcnQ=", "is not a 32-byte key"],
    ["a mix of both alphabets", `+-${base64.slice(2)}`, "is not a 32-byte key"],
    ["extra bits in the last character", `${base64.slice(0, 42)}9=`, "is not a 32-byte key"],
    ["a passphrase", `${hex},correct horse battery staple`, "entry 2 of 2 is not a 32-byte key"],
  ])("%s is refused, with the number of the entry and advice", (_name, text, message) => {
    expect(() => parseKeyList(text)).toThrow(message);
    expect(() => parseKeyList(text)).toThrow("openssl rand -hex 32");
  });

  test("The error never repeats the input, which may be a key with one typing error", () => {
    const mistyped = `${hex.slice(0, 63)}x`;
    const caught = catchError(() => parseKeyList(mistyped));
    expect(caught.code).toBe("bad_configuration");
    expect(caught.message).not.toContain(hex.slice(0, 8));
  });
});

function catchError(run: () => unknown): HubError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown;
    throw thrown;
  }
  throw new Error("Nothing was thrown");
}
