import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { sealValue } from "../value-tokens/value-tokens.ts";
import { createLeakCheck } from "./leak-check.ts";
import { isExplained } from "./undo-encodings.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const rowId = "3f0c7c1e-2222-4c4c-8d8d-0123456789ab";
const secret = Array.from({ length: 900 }, (_, at) => `密${at}`).join("");
const check = createLeakCheck({ ring, userId, rowId }, [{ text: secret, anyCase: false }]);
const token = sealValue(ring, { userId, rowId: null }, secret);
const bytesToken = sealValue(ring, { userId, rowId: null }, [...Buffer.from(secret)].join(","));
const innocent = [...Buffer.from("lorem ipsum ".repeat(800))];

describe("the leak check notices", () => {
  const shown: Record<string, unknown> = {
    "a secret": { text: `x ${secret}` },
    "the beginning of a secret": `x ${secret.slice(0, 500)}`,
    "the beginning of a list of its bytes": [...Buffer.from(secret)].slice(0, 400),
    "the end of a list of its bytes": [...Buffer.from(secret)].slice(-400),
    "a secret as a key": { [secret]: 1 },
  };
  test.each(Object.entries(shown))("The check notices %s", (_, value) => {
    expect(() => check.checkJsonText("here", JSON.stringify(value))).toThrow(/is left/);
  });

  const cut: Record<string, string> = {
    "half of a secret in percent encoding": encodeURIComponent(secret.slice(0, 300)),
    "half of a secret in base64": Buffer.from(secret.slice(0, 300)).toString("base64"),
    "half of a secret in hex": Buffer.from(secret.slice(0, 300)).toString("hex"),
  };
  test.each(Object.entries(cut))("The check notices %s in a cut text", (_, kept) => {
    const original = `${kept} and more`;
    expect(() => check.checkBeginning("here", kept, original)).toThrow(/is left/);
  });
});

describe("the check of a value that may be cut", () => {
  const original = { list: [...innocent, ...Buffer.from(secret)], more: "x" };

  test("The check accepts the beginning of the value, with tokens for secrets", () => {
    check.checkKept("here", { list: [...innocent, bytesToken] }, original);
    check.checkKept("here", { list: innocent.slice(0, 4_000) }, original);
    check.checkKept("here", { text: `a ${token}` }, { text: `a ${secret} ${"b".repeat(9_000)}` });
  });

  const refused: Record<string, unknown> = {
    "the first bytes of a secret": { list: [...innocent, ...Buffer.from(secret).subarray(0, 300)] },
    "another number": { list: [...innocent.slice(0, 100), 1, ...innocent.slice(101)] },
    "an added member": { list: innocent, added: 1 },
    "two cut members": { list: innocent.slice(0, 3), more: "" },
  };
  test.each(Object.entries(refused))("The check refuses a value with %s", (_, kept) => {
    expect(() => check.checkKept("here", kept, original)).toThrow(/is left|do not open/);
  });

  test("The check refuses a cut value that is short enough to be complete", () => {
    expect(() => check.checkKept("here", { list: [1] }, { list: [1, 2] })).toThrow(/do not open/);
  });
});

describe("what explains a token", () => {
  const texts = ["hello zebra 77", "12345678", "the quick brown fox", "AAAA BBBB"];
  const secrets = [
    "abcdefghijk",
    "correct horse battery",
    "hunter2pass",
    "s3cr3t-value",
    "pāßword",
  ];

  test.each(texts)("No secret explains %s, which contains none", (text) => {
    expect(secrets.filter((one) => isExplained(text, [one]))).toEqual([]);
  });

  test.each(secrets)("The secret %s explains its own encodings", (one) => {
    const bytes = Buffer.from(one);
    const encoded = [one, bytes.toString("hex"), bytes.toString("base64"), encodeURIComponent(one)];
    expect(encoded.filter((text) => !isExplained(text, [one]))).toEqual([]);
  });
});
