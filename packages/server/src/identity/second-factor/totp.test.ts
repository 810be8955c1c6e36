import { expect, test } from "bun:test";
import { toBase32 } from "./base32.ts";
import {
  createTotpSecret,
  findTotpStep,
  readTotpCode,
  toTotpCode,
  toTotpStep,
  toTotpUri,
} from "./totp.ts";

/** The seed of RFC 6238, appendix B, for SHA-1. */
const seed = Buffer.from("12345678901234567890").toString("base64url");

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("The code at second %i is the end of the vector of RFC 6238", (seconds, vector) => {
  const step = toTotpStep(seconds * 1000);
  expect(toTotpCode(seed, step)).toBe(vector.slice(-6));
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%p in base32 is the vector of RFC 4648 without padding", (text, vector) => {
  expect(toBase32(Buffer.from(text))).toBe(vector);
});

test("Only codes of the current step and of its neighbours count", () => {
  const at = 1_700_000_010_000;
  const step = toTotpStep(at);
  const find = (away: number) => findTotpStep(seed, toTotpCode(seed, step + away), at);
  expect([-2, -1, 0, 1, 2].map(find)).toEqual([null, step - 1, step, step + 1, null]);
  expect(findTotpStep(createTotpSecret(), toTotpCode(seed, step), at)).toBeNull();
});

test("A code may be typed with the space that apps show, and nothing else", () => {
  expect(readTotpCode(" 123 456 ")).toBe("123456");
  for (const typed of ["12345", "1234567", "١٢٣٤٥٦", "12345a", `${" ".repeat(15)}123456`]) {
    expect(readTotpCode(typed)).toBeNull();
  }
});

test("The address for apps names the hub and the user", () => {
  const uri = new URL(toTotpUri({ secret: seed, hub: "hub.example:8443", email: "a+b@x.example" }));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    "otpauth:",
    "totp",
    "/hub.example:8443:a+b@x.example",
  ]);
  expect(uri.searchParams.get("secret")).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(uri.searchParams.get("issuer")).toBe("hub.example:8443");
});
