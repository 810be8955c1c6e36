import { describe, expect, test } from "bun:test";
import { someOf } from "../../lib/testing/amount.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import { createSearchPool, findMatches } from "../masks/find-secrets.ts";
import { createMask } from "../masks/mask.ts";
import { echoes } from "../testing/secret-echoes.ts";
import { openText, sealValue } from "../value-tokens/value-tokens.ts";
import { longCharsMin } from "./long-secrets.ts";
import { toNeedles } from "./needles.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const owner = { userId, rowId: null };
const exact = (text: string, ofRow = false) => ({ text, ignoreCase: false, ofRow });

/** Letters that do not repeat themselves, always the same for a seed. */
function letters(seed: number, chars: number): string {
  let text = "";
  for (let at = 0; text.length < chars; at += 1) text += Bun.hash(`${seed} ${at}`).toString(36);
  return text.slice(0, chars);
}

const key = `-----BEGIN PRIVATE KEY-----\n${letters(1, 1500).replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
const account = `${JSON.stringify({ type: "service_account", private_key: key, mail: "a&b%41@c.d" }, null, 2)}\n`;

describe.each([
  ["letters", letters(2, 3_000)],
  ["a key of several lines", key],
  ["a JSON file", account],
  [
    "characters beyond ASCII, which begin late",
    `${letters(3, 500)}é🔑"\\<&%41 ${letters(4, 500)}é`,
  ],
  ["blanks around it", `\n${" ".repeat(600)}${letters(5, 400)}\n`],
  ["repetitions", "xy&".repeat(300)],
])("a long secret of %s", (_name, secret) => {
  const mask = createMask({ ring, userId, enabled: true });
  mask.addSecret(secret);
  const shown = secret.trim();

  const fitting = echoes.filter(
    ({ name, suits }) => suits?.(shown) !== false && name !== "gzip read as Latin-1",
  );

  test("Many echoes are tried", () => expect(fitting.length).toBeGreaterThan(60));

  test.each(
    someOf(20, fitting),
  )("The echo as $name is replaced, and opening restores it (trap 1)", ({ isWhole, write }) => {
    for (const before of ["", "u", "us"]) {
      const text = `x=${write(shown, before, ";y")}; y`;
      const sealed = mask.sealText(text);
      expect(openText(ring, owner, sealed)).toBe(text);
      const rest = sealed.replace(/hub_enc_[\w-]+/g, "");
      expect(rest.length).toBeLessThan(isWhole ? 120 : 40);
    }
  });
});

test("A long secret that ends in another way is not found, nor is its beginning", () => {
  const secret = letters(6, 2_000);
  const needles = toNeedles([exact(secret)]);
  expect(findMatches(`${secret.slice(0, -1)}!`, needles)).toEqual([]);
  expect(findMatches(secret.slice(0, -1), needles)).toEqual([]);
  expect(findMatches(`- ${secret} -`, needles)).toEqual([{ start: 2, end: 2_002, ofRow: false }]);
});

test("Of long secrets with the same beginning, each is found by its own end", () => {
  const beginning = letters(7, 1_000);
  const needles = toNeedles([exact(`${beginning}-one`, true), exact(`${beginning}-two`)]);
  expect(findMatches(`${beginning}-two ${beginning}-one`, needles)).toEqual([
    { start: 0, end: 1_004, ofRow: false },
    { start: 1_005, end: 2_009, ofRow: true },
  ]);
});

test("A long secret is found in any case if its case is ignored", () => {
  const secret = `Straße ${letters(8, 500)} Ünïcode`;
  const needles = toNeedles([{ text: secret, ignoreCase: true, ofRow: false }]);
  for (const text of [secret, secret.replace(/[a-zü]/g, (letter) => letter.toUpperCase())]) {
    expect(findMatches(`= ${text}`, needles)?.length).toBe(1);
  }
});

describe("the cost of long secrets", () => {
  test("Their needles have as few characters as those of a short secret, whatever their length", () => {
    const count = (chars: number) =>
      toNeedles([exact(letters(9, chars))]).all.list.reduce(
        (sum, { text }) => sum + text.length,
        0,
      );
    expect(count(longCharsMin)).toBeLessThan(4_000);
    expect(count(300_000)).toBeLessThan(4_000);
  });

  test("A search for them takes steps in proportion to the text, also if they repeat themselves", () => {
    for (const unit of ["a", "ab", "abcdefghij"]) {
      const secrets = Array.from({ length: 5 }, (_, index) =>
        exact(`${unit.repeat(6_000 / unit.length)}${index}`),
      );
      const work = { steps: 0 };
      const text = unit.repeat(30_000 / unit.length);
      expect(findMatches(text, toNeedles(secrets), { work })).toEqual([]);
      expect(work.steps).toBeLessThan(100 * text.length);
    }
  });

  test("Secrets whose forms take too many steps to write out leave the text out", () => {
    const secret = letters(10, 100_000);
    const text = `${secret.slice(0, 500)} ${letters(11, 200_000)}`;
    expect(findMatches(text, toNeedles([exact(secret)], { stepsMax: 50_000 }))).toBeNull();
    const pool = createSearchPool();
    expect(findMatches(text, toNeedles([exact(secret)]), { pool })).toEqual([]);
  });
});

test("The token of a long secret opens to the matched characters", () => {
  const mask = createMask({ ring, userId, enabled: true });
  mask.addSecret(account);
  const text = `${JSON.stringify({ file: account })} ${Buffer.from(account).toString("base64")}`;
  const sealed = mask.sealText(text);
  expect(sealed).toContain(sealValue(ring, owner, JSON.stringify(account).slice(1, -1)));
  expect(openText(ring, owner, sealed)).toBe(text);
});

describe("a long secret of characters that encodings leave out", () => {
  const units = [
    "\r",
    "\n",
    " ",
    "\t",
    "\u00ad",
    "\u200b",
    "\ufeff",
    "\0",
    "%0A",
    "\\n",
    "&nbsp;",
    "=",
  ];
  const fillings = ["", "a", "abc", "abcd"];
  const secrets = units.flatMap((unit) =>
    fillings.map((filling) => `${unit.repeat(400)}${filling}${unit.repeat(400)}`),
  );

  test("No form of it is empty, which would be found everywhere, without end", () => {
    for (const secret of secrets) {
      for (const one of [secret, secret.slice(0, 256)]) {
        const { all, ofLines } = toNeedles([exact(one), { ...exact(one), ignoreCase: true }]);
        expect([...all.list, ...ofLines.list].filter(({ text }) => text === "")).toEqual([]);
      }
    }
  });

  test("It is replaced, and other texts are not", () => {
    for (const secret of secrets) {
      const mask = createMask({ ring, userId, enabled: true });
      mask.addSecret(secret);
      const other = { list: [54, 99, 98], text: "a\r\nb c\u00add", many: " \n".repeat(20) };
      expect(mask.sealJson(other)).toBe(other);
      const sealed = mask.sealText(`x${secret}y`);
      expect(openText(ring, owner, sealed)).toBe(`x${secret}y`);
      expect(sealed).not.toContain(secret);
    }
  });
});
