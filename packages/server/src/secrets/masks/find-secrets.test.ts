import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { toBase64Needles } from "../needles/base64-needles.ts";
import { toNeedles } from "../needles/needles.ts";
import { createSearchPool, findMatches } from "./find-secrets.ts";
import { createMask } from "./mask.ts";

const exact = (text: string, ofRow: boolean) => ({ text, ignoreCase: false, ofRow });

function createTestMask() {
  const ring = createKeyRing([new Uint8Array(32).fill(1)]);
  return createMask({ ring, userId: "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b", enabled: true });
}

describe("a match", () => {
  test("A match says whether it contains a secret of the row, in every encoding", () => {
    const needles = toNeedles([exact("row/secret", true), exact("user/secret", false)]);
    for (const write of [
      (text: string) => text,
      encodeURIComponent,
      (text: string) => Buffer.from(text).toString("hex"),
      (text: string) => Buffer.from(text).toString("base64url"),
    ]) {
      const [row, user] = [write("row/secret"), write("user/secret")];
      expect(findMatches(`${row} ${user}`, needles)).toEqual([
        { start: 0, end: row.length, ofRow: true },
        { start: row.length + 1, end: row.length + 1 + user.length, ofRow: false },
      ]);
    }
  });

  test("A match belongs to the row if a value of the user encloses a secret of the row or is inside it", () => {
    const secrets = [exact("=defghi;", false), exact("efgh", false), exact("defghi", true)];
    expect(findMatches("-=defghi;-defghi-efgh-", toNeedles(secrets))).toEqual([
      { start: 1, end: 9, ofRow: true },
      { start: 10, end: 16, ofRow: true },
      { start: 17, end: 21, ofRow: false },
    ]);
  });

  test("A match of a row's secret is the same for right and wrong guesses of its beginning or end (attack)", () => {
    const secret = "s3cretValue";
    const encodings: ((text: string) => string)[] = [
      (text) => text,
      (text) => text.replaceAll("V", "%56").replaceAll("t", "%74"),
      (text) => Buffer.from(text).toString("hex"),
      (text) => Buffer.from(text).toString("base64url"),
    ];
    for (const [index, write] of encodings.entries()) {
      for (const before of ["", "u", "us"]) {
        const text = write(`${before}user:${secret}&page=2`);
        const withGuesses = (...guesses: string[]) =>
          findMatches(
            text,
            toNeedles([exact(secret, true), ...guesses.map((one) => exact(one, false))]),
          );
        const unguessed = withGuesses();
        expect([index, unguessed?.length]).toEqual([index, 1]);
        expect(withGuesses("user:s", "e&page", "user:s3cretVa", "alue&page=2")).toEqual(unguessed);
      }
    }
  });

  test("A value of the user beside a secret of the row is found, also in base64 with a shared character", () => {
    const needles = toNeedles([exact("s3cretValue", true), exact("another value", false)]);
    for (const before of ["", "u", "us"]) {
      const text = Buffer.from(`${before}s3cretValueanother value`).toString("base64url");
      const end = findMatches(text, needles)?.at(-1)?.end;
      expect(end).toBe(Math.ceil(((before.length + 24) * 8) / 6));
    }
  });
});

test("An escaped secret is found at every distance from another escape", () => {
  const secret = "correct/horse-battery";
  const needles = toNeedles([exact(secret, true)]);
  const written = secret.replace("/", "%2F");
  expect(needles.charsMax).toBeGreaterThan(secret.length);
  for (let chars = 0; chars < 4 * needles.charsMax; chars += 1) {
    const text = `%41${"x".repeat(chars)}${written}`;
    const start = text.length - written.length;
    expect(findMatches(text, needles)).toEqual([{ start, end: text.length, ofRow: true }]);
  }
});

test("A match in base64 of base64 covers all characters with bits of the secret", () => {
  const secret = "s3cretValue";
  const needles = toNeedles([exact(secret, true)]);
  const toBase64 = (text: string) => Buffer.from(text).toString("base64");
  for (const before of ["", "u", "us", "use"]) {
    for (const around of ["", "-", "--"]) {
      const inner = `${around}${toBase64(`${before}${secret}end`)}`;
      const first = around.length + Math.floor((before.length * 8) / 6);
      const end = around.length + Math.ceil(((before.length + secret.length) * 8) / 6);
      const [match, ...more] = findMatches(toBase64(inner), needles) ?? [];
      expect(more).toEqual([]);
      expect(match?.start).toBeLessThanOrEqual(Math.floor((first * 8) / 6));
      expect(match?.end).toBeGreaterThanOrEqual(Math.ceil((end * 8) / 6));
    }
  }
});

describe("a text of several lines", () => {
  test("A secret that joining the lines alters is found as it is", () => {
    for (const secret of [" leading blank", "\tleading tab", "two\nlines", "zero\u200bwidth"]) {
      const needles = toNeedles([exact(secret, true)]);
      for (const { before, after } of [
        { before: "first\n", after: "\nlast" },
        { before: "first\r\n  ", after: "\n\nlast" },
        { before: "\n", after: "" },
      ]) {
        const start = before.length;
        expect(findMatches(before + secret + after, needles)).toEqual([
          { start, end: start + secret.length, ofRow: true },
        ]);
      }
    }
  });

  test("The base64 of a secret at the edge of a line is found if characters of other lines do not fit", () => {
    const secret = "s3cretValue";
    const needles = toNeedles([exact(secret, true)]);
    const forms = toBase64Needles(Buffer.from(secret));
    // One for each place of the secret among the three bytes that base64 takes at once.
    expect(forms).toHaveLength(3);
    for (const { core } of forms) {
      for (const other of ["A", "Q", "/"]) {
        const text = `${other}\n  ${core}\n${other}`;
        expect([core, findMatches(text, needles)]).toEqual([
          core,
          [{ start: 4, end: 4 + core.length, ofRow: true }],
        ]);
      }
    }
  });
});

test("A text that was added for the row and for the user belongs to the user, in either order", () => {
  for (const [first, second] of [
    [true, false],
    [false, true],
  ]) {
    const mask = createTestMask();
    mask.addSecret("s3cretValue", { ofRow: first });
    mask.addSecretIgnoreCase("s3cretValue", { ofRow: second });
    mask.addSecret("another one", { ofRow: true });
    expect(mask.listSecrets()).toEqual([
      { text: "s3cretValue", ignoreCase: false, ofRow: false },
      { text: "s3cretValue", ignoreCase: true, ofRow: false },
      { text: "another one", ignoreCase: false, ofRow: true },
    ]);
  }
});

describe("the cost of a search", () => {
  const secrets = [
    "wJalrXUtnFEMI/K7MDENG",
    "p@ss\\w%41&lt;ord",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  ];
  const needles = toNeedles(secrets.map((text) => exact(text, true)));
  const count = (text: string) => {
    const work = { steps: 0 };
    const matches = findMatches(text, needles, { work });
    return { matches, steps: work.steps };
  };

  test.each([
    ["prose", "The quick brown fox jumps over the lazy dog.\n"],
    ["JSON in JSON in JSON", String.raw`{\\\"a\\\":\\\"b\\\"}`],
    ["percent in percent", "%25252541%2525"],
    ["backslashes", "\\"],
    ["all escapes mixed", '%255c\\\\u0026#x26;lt;\\"%2525&amp;=3D\n\u200b'],
    ["token prefixes", "hub_enc_"],
    ["beginnings of a secret", "wJalrXUtnFEMI/K7MDEN"],
    ["a repeated secret", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
  ])("The steps grow in proportion to the text: %s (no clock)", (_name, unit) => {
    const small = count(unit.repeat(20_000 / unit.length));
    const large = count(unit.repeat(200_000 / unit.length));
    expect(large.matches).not.toBeNull();
    expect(large.steps).toBeLessThan(100 * 200_000);
    expect(large.steps).toBeLessThan(11 * small.steps + 10_000);
  });

  test("A secret that repeats itself is not compared at each repetition", () => {
    const secret = `${"ab".repeat(5_000)}c`;
    const long = toNeedles([exact(secret, false)]);
    const work = { steps: 0 };
    expect(findMatches("ab".repeat(20_000), long, { work })).toEqual([]);
    expect(work.steps).toBeLessThan(15 * 40_000);
    expect(findMatches(`${"ab".repeat(20_000)}c`, long)).toEqual([
      { start: 30_000, end: 40_001, ofRow: false },
    ]);
    const same = toNeedles([exact("ab".repeat(5_000), false)]);
    expect(findMatches(`x${"ab".repeat(6_000)}a`, same)).toEqual([
      { start: 1, end: 12_001, ofRow: false },
    ]);
  });

  test("Many short texts of one call cost no more than one long text", () => {
    const secrets = Array.from({ length: 150 }, (_, index) => `${"ab".repeat(150)}${index}`);
    const many = toNeedles(secrets.map((secret) => exact(secret, false)));
    const pool = createSearchPool();
    const work = { steps: 0 };
    const text = "ab".repeat(200);
    const found = Array.from({ length: 50 }, () => findMatches(text, many, { work, pool }));
    expect(found.filter((matches) => matches === null).length).toBeGreaterThan(40);
    expect(work.steps).toBeLessThan(50 * 200 * text.length + 300_000);
    // A text within its own limit is searched, even if the pool is empty.
    expect(findMatches("a text", many, { pool })).toEqual([]);
  });

  test("A search ends at its limit, and the text is not passed through", () => {
    const secrets = Array.from({ length: 150 }, (_, index) => `${"ab".repeat(150)}${index}`);
    const text = "ab".repeat(2_000);
    const work = { steps: 0 };
    const many = toNeedles(secrets.map((secret) => exact(secret, false)));
    expect(findMatches(text, many, { work })).toBeNull();
    expect(work.steps).toBeLessThan(110 * text.length + 300_000);
    const mask = createTestMask();
    for (const secret of secrets) mask.addSecret(secret);
    expect(JSON.stringify(mask.sealJson({ [text]: [text] }))).toMatch(
      /^\{"\[This text is left out[^"]*":\["\[This text is left out[^"]*"\]\}$/,
    );
  });
});
